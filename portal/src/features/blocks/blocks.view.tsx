import { blockType } from '@cloudfit/contract/enums.ts';
import { eq, related } from '@cloudfit/contract/query/build.ts';
import { blockTexts as t } from '@cloudfit/contract/messages/blocks.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { blocks } from '@cloudfit/contract/resources/blocks.ts';
import { subscriptions } from '@cloudfit/contract/resources/subscriptions.ts';
import { defineView } from '../../resource/view.ts';
import { BlockSummary } from './block-summary.tsx';
import { BlockTypeInput } from './block-type-input.tsx';
import { ColorInput } from './color-input.tsx';
import { entityTabs } from './entity-tabs.tsx';

export const blocksView = defineView({
  resource: blocks,
  icon: 'blocks',
  texts: {
    title: en.shell.items.blocks,
    saveFailed: t.saveFailed,
    deleted: () => t.deleted,
    deleteFailed: () => t.deleteFailed,
    deleteQuestion: (row) => t.deleteQuestion(row.name),
  },
  columns: ['name'],
  expand: ['tenant', 'subscription'],
  base: ({ tenantId, subscriptionId }) => [
    subscriptionId
      ? eq(blocks, 'subscriptionId', subscriptionId)
      : tenantId
        ? eq(related(blocks, 'subscription', subscriptions), 'tenantId', tenantId)
        : undefined,
  ],
  bySubscription: true,
  rows: 100,
  searchDebounceMs: 250,
  panelParam: 'blockId',
  // A heartbeat block is deleted only with its device.
  offers: (row) => (row?.blockTypeId === blockType.deviceHeartbeat ? ['list', 'create', 'update'] : blocks.verbs),
  form: {
    sections: [{ fields: ['name', 'blockTypeId', 'tenantId', 'subscriptionId', 'description', 'entityColor', 'blockId'] }],
    wide: ['entityColor', 'blockId'],
    inputs: { blockTypeId: BlockTypeInput, entityColor: ColorInput },
    requiredTexts: { blockTypeId: t.chooseType, blockId: t.invalidId },
    help: { blockId: t.idHelp },
  },
  panelTop: (row) => <BlockSummary block={row} />,
  tabs: entityTabs,
});
