import { eq } from '@cloudfit/contract/query/build.ts';
import { tokenTexts as t } from '@cloudfit/contract/messages/tokens.en.ts';
import { tokens } from '@cloudfit/contract/resources/tokens.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';
import { commaListInput } from '../../forms/comma-list-input.tsx';
import { fieldColumn } from '../../rows/cells.tsx';
import { GenericPanel, loadGenericPanel } from '../../resource/list-panel.tsx';
import { defineView, type PanelProps } from '../../resource/view.ts';
import { revokeToken, takeOverToken } from './revoke-token.ts';
import { ScopesInput } from './scopes-input.tsx';
import { TokenFacts } from './token-facts.tsx';
import { ownerTexts, TokenOwner } from './token-owner.tsx';
import { expiryText, statusText, TokenExpiry, TokenStatus, type Token } from './token-status.tsx';

/** The resource for the form: checkboxes edit the scopes, a text input the networks. The declaration has lists. */
const resource = {
  ...tokens,
  fields: {
    ...tokens.fields,
    scopes: { ...tokens.fields.scopes, label: t.scopes, input: 'text' as const },
    networks: { ...tokens.fields.networks, input: 'text' as const },
  },
};

type GeneratedToken = Token & { generatedToken: string };

const isGenerated = (token: Token): token is GeneratedToken => 'generatedToken' in token;

const scopesText = ({ scopes }: Pick<Token, 'scopes'>) => scopes.map((scope) => t.scopesShort[scope] ?? scope).join(', ');

/** Says in which subscription, and by which names and networks, machines with this token are promoted automatically. */
const promotionText = (token: ExpandedRow<typeof tokens, 'promotionSubscription'>) =>
  token.promoteTo
    ? t.promotesTo(token.promotionSubscription?.name ?? token.promoteTo, token.promoteNames, token.promoteNetworks.join(' '))
    : t.promotesNone;

/** `onCreated` gets the answer of the server to a creation, which alone contains the token. */
export function tokensView(onCreated: (token: GeneratedToken) => void) {
  const view = defineView({
    resource,
    icon: 'tokens',
    texts: { title: t.title, saveFailed: t.saveFailed, emptyText: t.emptyText },
    columns: [
      { ...fieldColumn(resource, 'name'), width: 170 },
      {
        id: 'status',
        header: t.status,
        width: 106,
        below: 'sm',
        cell: (token) => <TokenStatus token={token} />,
        text: statusText,
      },
      { ...fieldColumn(resource, 'description'), width: 150, tone: 'soft' },
      {
        id: 'ownerId',
        header: t.owner,
        width: 120,
        below: 'md',
        cell: (token) => <TokenOwner ownerId={token.ownerId} />,
        texts: ownerTexts,
      },
      { id: 'scopes', header: t.scopes, width: 120, below: 'md', tone: 'soft', cell: scopesText, text: scopesText },
      { ...fieldColumn(resource, 'permissionSetId'), header: t.permissionSet, width: 110, below: 'md' },
      { id: 'promoteTo', header: t.promotes, width: 110, below: 'md', tone: 'soft', cell: promotionText, text: promotionText },
      { ...fieldColumn(resource, 'tokenHint'), width: 130, below: 'md', tone: 'soft', hidden: true },
      {
        id: 'expiresOn',
        header: t.expires,
        width: 100,
        sortable: true,
        below: 'sm',
        cell: (token) => <TokenExpiry token={token} />,
        text: expiryText,
      },
      {
        ...fieldColumn(resource, 'lastUsed'),
        header: t.lastUsed,
        width: 100,
        cell: (row) => (row.lastUsed ? <RelativeTime value={row.lastUsed} /> : <span className="faint">{t.notUsed}</span>),
        text: (row) => (row.lastUsed ? exactTime(row.lastUsed) : t.notUsed),
      },
      { ...fieldColumn(resource, 'created'), width: 100, below: 'md', hidden: true },
    ],
    phoneLine: (row) => (
      <>
        <TokenStatus token={row} />
        <span>
          {t.expires} <TokenExpiry token={row} />
        </span>
      </>
    ),
    expand: ['permissionSet', 'promotionSubscription'],
    filters: ['ownerId', 'permissionSetId', 'lastUsed', 'expiresOn'],
    base: ({ tenantId }) => [tenantId ? eq(tokens, 'tenantId', tenantId) : undefined],
    start: { lifetimeYears: 1 },
    actions: (token, { may }) => {
      if (token.revokedOn || !may('edit')) return [];
      return [
        { id: 'takeOver', label: t.takeOver, icon: 'person', run: () => void takeOverToken(token) },
        { id: 'revoke', label: t.revoke, icon: 'lock', danger: true, run: () => void revokeToken(token) },
      ];
    },
    form: {
      // There is no field for the tenant: it is the tenant in the address.
      sections: [
        { fields: ['name', 'lifetimeYears', 'description', 'scopes', 'permissionSetId', 'networks', 'machinesPerMinute', 'machinesInAll'] },
      ],
      inputs: { scopes: ScopesInput, networks: commaListInput('192.0.2.0/24, 2001:db8::/32') },
      wide: ['scopes', 'networks'],
      help: { scopes: t.scopesHelp },
      requiredTexts: { lifetimeYears: t.lifetimeRequired },
    },
    panelTop: (row) => <TokenFacts token={row} />,
  });
  const announce = (token: Token, isNew: boolean) => {
    if (isNew && isGenerated(token)) onCreated(token);
  };
  const Component = (props: PanelProps<ExpandedRow<typeof resource, 'permissionSet' | 'promotionSubscription'>>) => (
    <GenericPanel {...props} view={view} onSaved={announce} />
  );
  return { ...view, panel: { Component, load: loadGenericPanel } };
}
