// Shows the API description to people who are signed in to the portal on this address, or who have a token.
(function () {
  const notice = document.getElementById('notice');
  const form = document.getElementById('sign-in');
  /** The token that was entered; kept only while the page is open. */
  let entered;

  /** The present token of the portal's sign-in, which the portal renews. */
  function token() {
    try {
      const key = Object.keys(localStorage).find((name) => name.startsWith('oidc.user:'));
      return key ? JSON.parse(localStorage.getItem(key) ?? '{}').access_token : undefined;
    } catch {
      return undefined;
    }
  }

  function theme() {
    try {
      const chosen = localStorage.getItem('cloudfit.theme');
      if (chosen === 'light' || chosen === 'dark') return chosen;
    } catch {
      /* Storage may be blocked. */
    }
    return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }

  function paint() {
    document.documentElement.classList.toggle('dark-mode', theme() === 'dark');
  }

  function authorized(request) {
    const own = entered ?? token();
    const given = request.headers.Authorization ?? request.headers.authorization;
    if (own && !given) request.headers.Authorization = `Bearer ${own}`;
    return request;
  }

  function say(text, link) {
    notice.textContent = text;
    if (!link) return;
    const anchor = document.createElement('a');
    anchor.href = link.href;
    anchor.textContent = link.text;
    notice.append(' ', anchor);
  }

  async function show() {
    // oxlint-disable-next-line no-restricted-globals -- a page of its own, without the portal's client.
    const answer = await fetch('/v1/openapi.json', authorized({ headers: {} }));
    form.hidden = answer.status !== 401;
    if (answer.status === 401 && entered) return say('This token is not accepted. Check that it is whole and has not ended.');
    if (answer.status === 401)
      return say('Enter a token, or sign in to the portal and open this page again.', { href: '/', text: 'Sign in' });
    if (!answer.ok) return say(`The description could not be loaded (${answer.status}).`);
    notice.hidden = true;
    window.SwaggerUIBundle({
      spec: { ...(await answer.json()), servers: [{ url: location.origin }] },
      dom_id: '#api',
      deepLinking: true,
      docExpansion: 'none',
      defaultModelsExpandDepth: 0,
      filter: true,
      validatorUrl: null,
      requestInterceptor: authorized,
      // Shows the curl command without the token, which could be seen on screens and in screenshots.
      showMutatedRequest: false,
    });
  }

  paint();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);
  const load = () => show().catch(() => say('The server cannot be reached. Try again in a moment.'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    entered = document.getElementById('token').value.trim() || undefined;
    void load();
  });
  void load();
})();
