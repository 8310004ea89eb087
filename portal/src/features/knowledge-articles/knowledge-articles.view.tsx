import { and, eq, or } from '@cloudfit/contract/query/build.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { knowledgeArticleTexts as t } from '@cloudfit/contract/messages/knowledge-articles.en.ts';
import { knowledgeArticles, knowledgeArticleUses } from '@cloudfit/contract/resources/knowledge-articles.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { Chip, type Tone } from '../../components/chips.tsx';
import { PersonInput } from '../../entities/people/person-input.tsx';
import { defineView, type ViewColumn } from '../../resource/view.ts';
import { choiceLabel, fieldColumn } from '../../rows/cells.tsx';
import { BodyInput } from './body-input.tsx';
import { FoundPlace, FoundTitle } from './found-articles.tsx';
import { isDue, type Article } from './article.rules.ts';
import './knowledge-articles.css';

const resource = knowledgeArticles;
type ListedArticle = ExpandedRow<typeof resource, 'tenant' | 'usage'>;

const tones: Readonly<Record<Article['state'], Tone>> = { Draft: 'plain', Published: 'ok', Retired: 'unknown' };

export function StateChip({ state }: Pick<Article, 'state'>) {
  return (
    <Chip tone={tones[state]} dot>
      {choiceLabel(resource.fields.state, state)}
    </Chip>
  );
}

export function DueChip({ article }: { article: Pick<Article, 'state' | 'reviewAt'> }) {
  return isDue(article) ? (
    <Chip tone="warn" title={t.dueText}>
      {t.due}
    </Chip>
  ) : null;
}

const countColumn = (name: 'viewed' | 'linked' | 'solved', width: number): ViewColumn<ListedArticle> => ({
  id: `usage/${name}`,
  header: knowledgeArticleUses.fields[name].label,
  width,
  align: 'end',
  fits: true,
  below: 'md',
  sortable: true,
  cell: (row) => row.usage?.[name] ?? '',
  text: (row) => String(row.usage?.[name] ?? ''),
});

export const knowledgeArticlesView = defineView({
  resource,
  icon: 'info',
  texts: { title: en.shell.items.knowledge, saveFailed: t.saveFailed, deleteFailed: () => t.deleteFailed, emptyText: t.emptyText },
  columns: [
    {
      ...fieldColumn(resource, 'title'),
      width: 240,
      cell: (row) => <FoundTitle title={row.title} />,
      after: (row) => (
        <>
          <DueChip article={row} />
          <FoundPlace id={row.knowledgeArticleId} />
        </>
      ),
    },
    { ...fieldColumn(resource, 'state'), width: 110, cell: (row) => <StateChip state={row.state} /> },
    { ...fieldColumn(resource, 'audience'), width: 100 },
    { ...fieldColumn(resource, 'tenantId'), width: 120, below: 'md', tone: 'soft' },
    { ...fieldColumn(resource, 'owner'), width: 150, below: 'md', hidden: true },
    { ...fieldColumn(resource, 'reviewAt'), width: 120, below: 'md', hidden: true },
    countColumn('viewed', 85),
    countColumn('linked', 135),
    countColumn('solved', 120),
    { ...fieldColumn(resource, 'modified'), width: 95, below: 'md' },
  ],
  phoneLine: (row) => (
    <>
      <StateChip state={row.state} />
      <span>{choiceLabel(resource.fields.audience, row.audience)}</span>
    </>
  ),
  expand: ['tenant', 'usage'],
  base: ({ tenantId }) => [tenantId ? or(eq(resource, 'tenantId', tenantId), eq(resource, 'tenantId', null)) : undefined],
  filters: ['state', 'audience', 'workUnitCategoryId', 'owner'],
  quick: [
    { id: 'due', label: t.due, clause: () => and(eq(resource, 'state', 'Published'), 'reviewAt lt now()') },
    { id: 'mine', label: t.mine, clause: ({ user }) => (user ? eq(resource, 'owner', user.userName) : undefined) },
  ],
  form: {
    sections: [
      { fields: ['title', 'body'] },
      { title: t.sections.readers, fields: ['state', 'audience', 'tenantId', 'workUnitCategoryId'] },
      { title: t.sections.upkeep, fields: ['keywords', 'owner', 'reviewAt'] },
    ],
    wide: ['title', 'keywords'],
    inputs: { body: BodyInput, owner: PersonInput },
  },
  rows: 25,
  pollMs: 30_000,
});
