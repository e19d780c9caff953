// Sets the chosen colours before the first paint. Browsers keep this file for a year: rename it when it changes.
try {
  const theme = localStorage.getItem('panel-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage, the colours are those of the system.
}
