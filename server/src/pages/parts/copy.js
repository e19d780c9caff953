// The copy buttons stay hidden without a script or a clipboard.
for (const button of document.querySelectorAll('button[data-copy]')) {
  if (!navigator.clipboard) break;
  const { copy, done, told } = button.dataset;
  const label = button.textContent;
  const status = button.closest('section').querySelector('[role="status"]');
  let timer;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(copy);
    } catch {
      return;
    }
    button.textContent = done;
    status.textContent = told;
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = label;
      status.textContent = '';
    }, 3000);
  });
}
