// Sets the chosen colours before the first paint. Browsers keep this file for a year: rename it when it changes.
try {
  const theme = localStorage.getItem('panel-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // If the browser allows no storage, the panel has the colours of the system.
}
