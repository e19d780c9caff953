// Checks fields when the shopper leaves them, and loads the delivery options and totals for the entered address.
const form = document.querySelector('#checkout');
const changed = new WeakSet();
/** Names of the choices that the shopper has made. Until then, the cheapest delivery is selected. */
const chosen = new Set(form.dataset.chosen.split(' '));
const STATES = ['shipping-state', 'shipping-rare-state'];
const TOTALS = ['totals', 'fold-total'];
/** The parts to load after a change of these fields. */
const PARTS = {
  shipping_country: ['delivery', 'payment', ...STATES, ...TOTALS],
  shipping_postal_code: ['delivery', 'payment', ...TOTALS],
  shipping_state: ['delivery', 'payment', ...TOTALS],
  shipping_option_id: ['payment', ...TOTALS],
  payment_method: TOTALS,
};
let waiting = new Set();
let request;
let isPressing = false;

form.addEventListener('input', ({ target }) => {
  changed.add(target);
  if (target.getAttribute('aria-invalid') && !mistakeOf(target)) showMistake(target, undefined);
});
form.addEventListener('change', ({ target }) => {
  chosen.add(target.name);
  if (Object.hasOwn(PARTS, target.name)) load(PARTS[target.name]);
});
// A message that appears between pressing and releasing would move the button away from the pointer.
document.addEventListener('pointerdown', () => {
  isPressing = true;
});
for (const end of ['pointerup', 'pointercancel']) {
  document.addEventListener(end, () => setTimeout(() => (isPressing = false)));
}
form.addEventListener('focusout', ({ target }) => {
  if (!changed.has(target)) return;
  const check = () => showMistake(target, mistakeOf(target));
  if (isPressing) document.addEventListener('pointerup', () => setTimeout(check), { once: true });
  else check();
});

function mistakeOf({ value, dataset }) {
  if (value.trim() === '') return dataset.ask;
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value.trim()) ? undefined : dataset.askForm;
}

/** Shows the message as the server does, or removes it. */
function showMistake(field, message) {
  const id = `${field.id}-error`;
  const others = (field.getAttribute('aria-describedby') ?? '').split(' ').filter((one) => one && one !== id);
  document.getElementById(id)?.remove();
  field.closest('.field')?.classList.toggle('wrong', message !== undefined);
  if (message) {
    const mark = Object.assign(document.createElement('span'), { className: 'unseen' });
    mark.textContent = form.dataset.mistake;
    const line = Object.assign(document.createElement('p'), { id, className: 'error', role: 'alert' });
    line.append(mark, ' ', message);
    field.before(line);
    field.setAttribute('aria-invalid', 'true');
    others.push(id);
  } else field.removeAttribute('aria-invalid');
  if (others.length > 0) field.setAttribute('aria-describedby', others.join(' '));
  else field.removeAttribute('aria-describedby');
}

/** Loads the page for the entered destination and choices, and shows these parts of it. The server stores nothing. */
function load(parts) {
  waiting = new Set([...waiting, ...parts]);
  request?.abort();
  const entered = new FormData(form);
  const choice = (name) => (chosen.has(name) ? (entered.get(name) ?? '') : '');
  const query = new URLSearchParams({
    change: '1',
    country: entered.get('shipping_country') ?? '',
    postal_code: entered.get('shipping_postal_code') ?? '',
    state: entered.get('shipping_state') ?? '',
    option: choice('shipping_option_id'),
    payment: choice('payment_method'),
  });
  request = new XMLHttpRequest();
  request.open('GET', `${form.getAttribute('action')}?${query}`);
  request.responseType = 'document';
  request.addEventListener('load', ({ target: { status, response } }) => {
    if (status !== 200 || !response?.querySelector('#checkout')) return;
    const fresh = [...waiting];
    waiting = new Set();
    const entered = new FormData(form);
    for (const id of fresh) replace(id, response, entered);
    form.querySelector('[name="csrf"]').value = response.querySelector('#checkout [name="csrf"]').value;
  });
  request.send();
}

/** Replaces the content of a part. Entered values and the focus stay. */
function replace(id, response, entered) {
  const part = document.getElementById(id);
  const fresh = response.getElementById(id);
  if (!part || !fresh) return;
  const focused = part.contains(document.activeElement) ? document.activeElement.id : undefined;
  part.replaceChildren(...fresh.childNodes);
  for (const field of part.querySelectorAll('input:not([type="hidden"])')) {
    if (!entered.has(field.name)) continue;
    if (field.type !== 'radio') field.value = entered.get(field.name);
    else if (chosen.has(field.name)) field.checked ||= field.value === entered.get(field.name);
  }
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}
