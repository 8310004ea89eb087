/** Pages of the identity provider: plain HTML without inline scripts or styles, usable without JavaScript. */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';

const asset = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');

export const assets: ReadonlyMap<string, { type: string; text: string }> = new Map([
  ['/assets/sign-in.css', { type: 'text/css; charset=utf-8', text: asset('sign-in.css') }],
  ['/assets/passkeys.js', { type: 'text/javascript; charset=utf-8', text: asset('passkeys.js') }],
  ['/assets/sign-out.js', { type: 'text/javascript; charset=utf-8', text: asset('sign-out.js') }],
]);

/** Marks text that is HTML already. */
export interface Html {
  readonly html: string;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Builds HTML. Inserted values are escaped, unless they are `Html`. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | number | Html | undefined)[]): Html {
  const put = (value: string | number | Html | undefined): string =>
    value === undefined ? '' : typeof value === 'object' ? value.html : String(value).replace(/[&<>"']/g, (c) => String(entities[c]));
  return { html: parts.map((part, i) => part + put(values[i])).join('') };
}

interface PageOptions {
  /** File name of a script among the assets. */
  script?: string;
  /** Wider, for pages with more than one short form. */
  wide?: boolean;
  /** Address of the style sheet; by default the provider's. */
  styles?: string;
}

/** `lang` is the language of the texts. */
export function page(
  lang: string,
  title: string,
  body: Html,
  { script, wide, styles = '/idp/assets/sign-in.css' }: PageOptions = {},
): string {
  return html`<!doctype html>
    <html lang="${lang}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · CloudFit</title>
        <link rel="icon" href="/favicon.svg" />
        <link rel="stylesheet" href="${styles}" />
        ${script ? html`<script src="/idp/assets/${script}"></script>` : undefined}
      </head>
      <body>
        <main${wide ? { html: ' class="wide"' } : undefined}>
          <p class="brand"><span class="mark" aria-hidden="true"></span>CloudFit</p>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `.html;
}

/**
 * Returns the headers of a page. `frameable` allows a frame of the portal, in which the silent renewal of tokens loads
 * the answer.
 */
export function securityHeaders(frameable: boolean): Record<string, string> {
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors ${frameable ? "'self'" : "'none'"}`;
  return {
    'content-security-policy': policy,
    'x-frame-options': frameable ? 'SAMEORIGIN' : 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}

export function send(res: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  res.writeHead(status, {
    ...securityHeaders(false),
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  res.end(text);
}

export function sendJson(res: ServerResponse, status: number, value: object): void {
  send(res, status, JSON.stringify(value), { 'content-type': 'application/json; charset=utf-8' });
}
