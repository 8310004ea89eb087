// Runs before the first paint so that a dark page never flashes white.
(function () {
  var mode = null;
  try {
    mode = localStorage.getItem('cloudfit.theme');
  } catch {
    /* Storage may be blocked. */
  }
  if (mode !== 'light' && mode !== 'dark') mode = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  document.documentElement.dataset.theme = mode;
})();
