/** Parts of pages about one-time codes: the field, the image that an app scans, the recovery codes. */
import { html, type Html } from './page.ts';
import type { SignInTexts } from './texts.ts';

export function codeField(label: string, autofocus = false, isWrong = false): Html {
  const focus = autofocus ? { html: ' autofocus' } : undefined;
  const wrong = isWrong ? { html: ' aria-invalid="true" aria-describedby="error"' } : undefined;
  return html`<div class="field">
    <label for="code">${label}</label
    ><input
      id="code"
      name="code"
      type="text"
      autocomplete="one-time-code"
      autocapitalize="none"
      spellcheck="false"
      maxlength="100"
      required${wrong}${focus}
    />
  </div>`;
}

export function scanSection({ app }: SignInTexts, { image, secret }: { image: string; secret: string }): Html {
  return html`<p>${app.scan}</p>
    <div class="scan" role="img" aria-label="${app.image}">${{ html: image }}</div>
    <p>${app.noCamera} <code>${secret.match(/.{1,4}/g)?.join(' ') ?? secret}</code></p>`;
}

export function recoveryCodeList({ app }: SignInTexts, codes: readonly string[]): Html {
  return html`<p>${app.recoveryHint}</p>
    <ul class="codes" aria-label="${app.recoveryCodes}">
      ${{ html: codes.map((code) => html`<li><code>${code}</code></li>`.html).join('') }}
    </ul>`;
}
