import { eq, or } from '@cloudfit/contract/query/build.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { protocolTexts as t } from '@cloudfit/contract/messages/protocols.en.ts';
import { protocols } from '@cloudfit/contract/resources/protocols.ts';
import { failureText } from '../../api/client.ts';
import { ImpactPanel } from '../../entities/impact/impact-panel.tsx';
import { fieldColumn } from '../../rows/cells.tsx';
import { defineView } from '../../resource/view.ts';
import { protocolEditor } from './timeline/protocol-editor-lazy.tsx';

const resource = protocols;

/** `showActions` opens the protocol's actions. */
export const protocolsView = (showActions: (protocolId: string) => void) =>
  defineView({
    resource,
    icon: 'protocols',
    texts: {
      title: en.shell.items.protocols,
      deleteFailed: (_row, error) => failureText(error),
      emptyText: t.emptyText,
    },
    columns: [
      { ...fieldColumn(resource, 'name'), grow: false, width: 240 },
      { ...fieldColumn(resource, 'protocolId'), header: t.id, width: 200, below: 'md' },
      { ...fieldColumn(resource, 'description'), width: 200, grow: true, tone: 'soft' },
      { ...fieldColumn(resource, 'tenantId'), tone: 'soft' },
    ],
    expand: ['tenant'],
    base: ({ tenantId }) => [tenantId ? or(eq(protocols, 'tenantId', tenantId), eq(protocols, 'tenantId', null)) : undefined],
    searchIn: ['protocolId'],
    searchDebounceMs: 250,
    actions: (row) => [{ id: 'actions', label: t.actions.view, icon: 'actions', run: () => showActions(row.protocolId) }],
    impact: (row, change) => <ImpactPanel entity="protocols" id={row.protocolId} change={change} />,
    panel: protocolEditor,
  });
