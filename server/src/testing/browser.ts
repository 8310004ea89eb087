/** A minimal browser for tests of the sign-in: it stores cookies, follows no redirect by itself, and signs in through the pages. */
import { createHash, randomBytes } from 'node:crypto';

export interface SignedInTokens {
  access_token: string;
  id_token: string;
  refresh_token?: string;
}

export const formOf = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) });

export class Browser {
  readonly cookies = new Map<string, { value: string; path: string }>();
  readonly #publicUrl: string;
  /** Headers of each request, for example the client address that a proxy would send. */
  readonly headers: Record<string, string>;

  constructor(publicUrl: string, headers: Record<string, string> = {}) {
    this.#publicUrl = publicUrl;
    this.headers = headers;
  }

  async go(path: string, init: { method?: string; body?: URLSearchParams } = {}): Promise<Response> {
    const url = new URL(path, this.#publicUrl);
    const cookie = [...this.cookies]
      .filter(([, c]) => url.pathname.startsWith(c.path))
      .map(([name, c]) => `${name}=${c.value}`)
      .join('; ');
    const response = await fetch(url, { redirect: 'manual', ...init, headers: { accept: 'text/html', cookie, ...this.headers } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split('=');
      const path = attributes.find((a) => a.toLowerCase().startsWith('path='))?.slice(5) ?? '/';
      if (value === '' || attributes.some((a) => a.includes('01 Jan 1970'))) this.cookies.delete(name);
      else this.cookies.set(name, { value, path });
    }
    return response;
  }

  /** Returns the absolute redirect target of an answer. */
  next(response: Response): string {
    return new URL(response.headers.get('location') ?? '', this.#publicUrl).href;
  }

  /** Begins a sign-in: `page` is the address of the sign-in page and of its form, `verifier` the PKCE code verifier. */
  async openSignIn(scope = 'openid profile email'): Promise<{ page: string; verifier: string }> {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      client_id: 'cloudfit-portal',
      response_type: 'code',
      scope,
      state: 's',
      nonce: 'n',
      redirect_uri: `${this.#publicUrl}/user/callback`,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(scope.includes('offline_access') ? { prompt: 'consent' } : {}),
    });
    return { page: this.next(await this.go(`/idp/auth?${query}`)), verifier };
  }

  /** Submits the form of the sign-in page; the answer is a redirect if the password is correct. */
  async tryPassword(page: string, userName: string, password: string): Promise<{ status: number; text: string; next: string }> {
    const answer = await this.go(page, formOf({ userName, password }));
    return { status: answer.status, text: await answer.text(), next: this.next(answer) };
  }

  /** Follows redirects to the portal's callback, and redeems the code for tokens. */
  async finish(from: string, verifier: string): Promise<SignedInTokens> {
    let at = from;
    for (let step = 0; step < 6 && !at.includes('/user/callback'); step++) at = this.next(await this.go(at));
    const code = new URL(at).searchParams.get('code');
    if (code === null) throw new Error(`The sign-in ended at ${at}.`);
    const redirect_uri = `${this.#publicUrl}/user/callback`;
    const response = await this.go(
      '/idp/token',
      formOf({ grant_type: 'authorization_code', client_id: 'cloudfit-portal', code, redirect_uri, code_verifier: verifier }),
    );
    return (await response.json()) as SignedInTokens;
  }

  async signIn(userName: string, password: string, scope?: string): Promise<SignedInTokens> {
    const { page, verifier } = await this.openSignIn(scope);
    const { next } = await this.tryPassword(page, userName, password);
    return this.finish(next, verifier);
  }

  refresh(refreshToken: string): Promise<Response> {
    return this.go('/idp/token', formOf({ grant_type: 'refresh_token', client_id: 'cloudfit-portal', refresh_token: refreshToken }));
  }

  /** Signs out at the provider, like "Sign out" of the portal. */
  async signOut(tokens: SignedInTokens): Promise<void> {
    const query = new URLSearchParams({ id_token_hint: tokens.id_token, post_logout_redirect_uri: `${this.#publicUrl}/user/login` });
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(await (await this.go(`/idp/session/end?${query}`)).text())?.[1] ?? '';
    await this.go('/idp/session/end/confirm', formOf({ xsrf, logout: 'yes' }));
  }
}
