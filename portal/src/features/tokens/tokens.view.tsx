import { eq } from '@cloudfit/contract/query/build.ts';
import { tokenTexts as t } from '@cloudfit/contract/messages/tokens.en.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { tokens } from '@cloudfit/contract/resources/tokens.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { fieldColumn } from '../../resource/cells.tsx';
import type { AnyRow } from '../../resource/row.ts';
import type { View, ViewColumn } from '../../resource/view.ts';
import { revokeToken } from './revoke-token.ts';
import { ScopesInput } from './scopes-input.tsx';
import { TokenFacts } from './token-facts.tsx';
import { expiryText, statusText, TokenExpiry, TokenStatus, type Token } from './token-status.tsx';

/** With boxes for the scopes, which the declaration calls a list. */
const resource = {
  ...tokens,
  fields: { ...tokens.fields, scopes: { ...tokens.fields.scopes, label: t.scopes, input: 'text' } },
} as unknown as Resource;
const column = (part: ViewColumn<Token>) => part as unknown as ViewColumn<AnyRow>;
const tokenOf = (row: AnyRow) => row as unknown as Token;

/** `onCreated` gets the one answer that holds the token itself. */
export function tokensView(onCreated: (token: Token & { generatedToken: string }) => void): View {
  return {
    resource,
    icon: 'tokens',
    texts: { title: t.title, saveFailed: t.saveFailed, emptyText: t.emptyText },
    columns: [
      { ...fieldColumn(resource, 'name'), width: 170 },
      column({
        id: 'status',
        header: t.status,
        width: 106,
        below: 'sm',
        cell: (token) => <TokenStatus token={token} />,
        text: statusText,
      }),
      { ...fieldColumn(resource, 'description'), width: 190, tone: 'soft' },
      { ...fieldColumn(resource, 'tokenHint'), width: 130, below: 'md', tone: 'soft' },
      column({
        id: 'expiresOn',
        header: t.expires,
        width: 100,
        sortable: true,
        below: 'sm',
        cell: (token) => <TokenExpiry token={token} />,
        text: expiryText,
      }),
      {
        ...fieldColumn(resource, 'lastUsed'),
        header: t.lastUsed,
        width: 100,
        cell: (row) => (row['lastUsed'] ? <RelativeTime value={String(row['lastUsed'])} /> : <span className="faint">{t.notUsed}</span>),
      },
      { ...fieldColumn(resource, 'created'), width: 100, below: 'md' },
    ],
    phoneLine: (row) => (
      <>
        <TokenStatus token={tokenOf(row)} />
        <span>
          {t.expires} <TokenExpiry token={tokenOf(row)} />
        </span>
      </>
    ),
    base: ({ tenantId }) => [tenantId ? eq('tenantId', tenantId, 'guid') : undefined],
    actions: (row, { may }) => {
      const token = tokenOf(row);
      if (token.revokedOn || !may('edit')) return [];
      return [{ id: 'revoke', label: t.revoke, icon: 'lock', danger: true, run: () => void revokeToken(token) }];
    },
    form: {
      // The tenant is that of the address.
      sections: [{ fields: ['name', 'lifetimeYears', 'description', 'scopes', 'permissionSetId'] }],
      inputs: { scopes: ScopesInput },
      wide: ['scopes'],
      help: { scopes: t.scopesHelp },
      requiredTexts: { lifetimeYears: t.lifetimeRequired },
    },
    panelTop: (row) => <TokenFacts token={tokenOf(row)} />,
    onSaved: (row, isNew) => {
      if (isNew) onCreated(row as unknown as Token & { generatedToken: string });
    },
  };
}
