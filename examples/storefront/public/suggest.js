/** Shows suggestions while the shopper types a query. The search works without this script. */
const form = document.querySelector('form[data-suggest]');
const field = form.querySelector('input');
const list = form.querySelector('.suggestions');
let asked;

function close() {
  list.hidden = true;
}

async function suggest() {
  asked?.abort();
  asked = new AbortController();
  const { signal } = asked;
  const q = field.value.trim();
  if (!q) return close();
  try {
    const answer = await fetch(`${form.dataset.suggest}?${new URLSearchParams({ q })}`, { signal });
    if (!answer.ok) return close();
    list.innerHTML = await answer.text();
    list.hidden = !list.querySelector('a');
  } catch (error) {
    if (error.name !== 'AbortError') close();
  }
}

let waiting;
field.addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(suggest, 120);
});
form.addEventListener('focusout', ({ relatedTarget }) => !form.contains(relatedTarget) && close());
form.addEventListener('keydown', (event) => {
  const links = [field, ...list.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Escape') close();
  if (!step || list.hidden || !links[at + step]) return;
  event.preventDefault();
  links[at + step].focus();
});
