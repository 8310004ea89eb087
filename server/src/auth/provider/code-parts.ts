/** Parts of pages about one-time codes: the field, the image that an app scans, the recovery codes. */
import { html, type Html } from './page.ts';

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

export function scanSection({ image, secret }: { image: string; secret: string }): Html {
  return html`<p>Scan this with the app, then enter the code that it shows.</p>
    <div class="scan" role="img" aria-label="The code to scan with the app">${{ html: image }}</div>
    <p>No camera? Type this key into the app: <code>${secret.match(/.{1,4}/g)?.join(' ') ?? secret}</code></p>`;
}

export function recoveryCodeList(codes: readonly string[]): Html {
  return html`<p>
      Keep these recovery codes where you keep other important papers. Each signs you in once when the app is lost. They are not shown
      again.
    </p>
    <ul class="codes" aria-label="Recovery codes">
      ${{ html: codes.map((code) => html`<li><code>${code}</code></li>`.html).join('') }}
    </ul>`;
}
