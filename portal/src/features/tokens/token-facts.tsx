import { tokenTexts as t } from '@cloudfit/contract/messages/tokens.en.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';
import { revokeToken } from './revoke-token.ts';
import { TokenExpiry, TokenStatus, type Token } from './token-status.tsx';

/** The status and other facts of a token that cannot be edited, and the button that revokes it. */
export function TokenFacts({ token }: { token: Token }) {
  const may = useMay();
  const scopes = token.scopes.map((scope) => t.scopeNames[scope] ?? scope).join(', ');
  return (
    <section className="form-section" aria-label={t.state}>
      <div className="token-state">
        <TokenStatus token={token} />
        <span className="mono">{token.tokenHint}</span>
        <span className="grow" />
        {!token.revokedOn && may('Tokens', 'edit') && (
          <Button small look="danger" icon="lock" onClick={() => void revokeToken(token)}>
            {t.revoke}
          </Button>
        )}
      </div>
      <dl className="token-facts">
        <div>
          <dt>{t.expires}</dt>
          <dd>
            <TokenExpiry token={token} />
          </dd>
        </div>
        <div>
          <dt>{t.lastUsed}</dt>
          <dd>{token.lastUsed ? <RelativeTime value={token.lastUsed} /> : t.notUsed}</dd>
        </div>
        {token.revokedOn && (
          <div>
            <dt>{t.revokedOn}</dt>
            <dd>{exactTime(token.revokedOn)}</dd>
          </div>
        )}
        {token.scopes.includes('agent') && (
          <div>
            <dt>{t.enrolled}</dt>
            <dd>{t.enrolledOf(token.machinesEnrolled, token.machinesInAll)}</dd>
          </div>
        )}
        {scopes && (
          <div>
            <dt>{t.scopes}</dt>
            <dd>{scopes}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}
