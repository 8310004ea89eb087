import { tokenTexts as t } from '@cloudfit/contract/messages/tokens.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { tokens } from '@cloudfit/contract/resources/tokens.ts';
import { Chip, type Tone } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';

export type Token = Row<typeof tokens>;

/** Returns the status: Active or Revoked (TOK-015), or Expired. */
export function statusText({ revokedOn, expiresOn }: Token): string {
  if (revokedOn) return t.revoked;
  return expiresOn && new Date(expiresOn).getTime() <= Date.now() ? t.expired : t.active;
}

const tones: Readonly<Record<string, Tone>> = { [t.active]: 'ok', [t.expired]: 'warn' };

export function TokenStatus({ token }: { token: Token }) {
  const text = statusText(token);
  return (
    <Chip dot tone={tones[text] ?? 'plain'}>
      {text}
    </Chip>
  );
}

/** A token without an expiry never expires (TOK-016). */
export const expiryText = ({ expiresOn }: Token) => (expiresOn ? exactTime(expiresOn) : t.never);

export function TokenExpiry({ token }: { token: Token }) {
  return token.expiresOn ? <RelativeTime value={token.expiresOn} /> : t.never;
}
