/** The HTML of a mail as a page of the portal may show it: its styles become classes, because the policy of the page refuses others. */
import { pageNonce } from '../../../components/page-nonce.ts';

export function framedMail(html: string): string {
  const mail = new DOMParser().parseFromString(html, 'text/html');
  const rules = new Map<string, string>();
  for (const element of mail.querySelectorAll('[style]')) {
    const style = element.getAttribute('style') ?? '';
    const name = rules.get(style) ?? `s${rules.size}`;
    rules.set(style, name);
    element.removeAttribute('style');
    element.classList.add(name);
  }
  // A link would open inside the frame, and that of the preview leads nowhere.
  for (const link of mail.querySelectorAll('a')) link.removeAttribute('href');
  const style = mail.createElement('style');
  const nonce = pageNonce();
  if (nonce) style.setAttribute('nonce', nonce);
  style.textContent = [...rules].map(([text, name]) => `.${name}{${text}}`).join('\n');
  mail.head.append(style);
  return `<!doctype html>${mail.documentElement.outerHTML}`;
}
