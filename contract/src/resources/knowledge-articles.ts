import { articleAudiences, articleStates } from '../enums.ts';
import { permission, viewMine } from '../permissions.ts';
import { defineResource, f, many, one, optional } from '../resource.ts';

const never = { write: 'never' } as const;

/** Answers that people write once. Who reads one follows from its tenant, its state and its audience. */
export const knowledgeArticles = defineResource({
  name: 'knowledgeArticles',
  label: 'Knowledge Article',
  plural: 'Knowledge Articles',
  about:
    'An answer in Markdown, of a tenant or, without one, for all. Those who may view articles read all of their tenant, those who may view work units the published ones, customers the published ones for customers. Each save of a published text is a version.',
  key: 'knowledgeArticleId',
  title: 'title',
  area: 'Articles',
  viewedWith: [permission('WorkUnits', 'view'), viewMine],
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'title asc',
  portable: { by: ['tenantId', 'title'] },
  fields: {
    knowledgeArticleId: f.key('Article ID'),
    title: f.text('Title', { required: true, search: true, max: 200, message: 'Please enter a title.' }),
    body: f.text('Text', { required: true, search: true, input: 'multiline', max: 40_000, sort: false, message: 'Please write the text.' }),
    keywords: optional(f.text('Keywords', { search: true, max: 300, help: 'Other words by which people look for it' })),
    workUnitCategoryId: optional(f.ref('Category', 'workUnitCategories', { help: 'Only for an article of one tenant' })),
    audience: f.choice('Audience', articleAudiences, { initial: 'Internal', message: 'Please choose who may read it.' }),
    state: f.choice('State', articleStates, { initial: 'Draft', message: 'Please choose a state.' }),
    owner: optional(f.person('Owner', { help: 'Who keeps it correct' })),
    reviewAt: optional(f.timestamp('Review by', { help: 'After this time it is shown as to be reviewed' })),
    publishedVersion: f.int('Version', { ...never, initial: 0 }),
    published: optional(f.timestamp('Published', never)),
    publishedBy: optional(f.person('Published by', never)),
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'create' })),
    created: f.timestamp('Created', never),
    createdBy: f.person('Created by', never),
    modified: f.timestamp('Modified', never),
    modifiedBy: f.person('Modified by', never),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    workUnitCategory: one('workUnitCategories', 'workUnitCategoryId'),
    usage: one('knowledgeArticleUses', 'knowledgeArticleId'),
    versions: many('knowledgeArticleVersions', 'knowledgeArticleId'),
  },
});

/** The published versions of articles. */
export const knowledgeArticleVersions = defineResource({
  name: 'knowledgeArticleVersions',
  label: 'Article Version',
  plural: 'Article Versions',
  key: 'knowledgeArticleVersionId',
  title: 'title',
  area: 'Articles',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'published desc',
  fields: {
    knowledgeArticleVersionId: f.key('Article version ID'),
    knowledgeArticleId: f.guid('Article ID', never),
    number: f.int('Version', never),
    title: f.text('Title', { ...never, search: true, max: 200 }),
    body: f.text('Text', { ...never, search: true, max: 40_000, sort: false }),
    audience: f.choice('Audience', articleAudiences, never),
    published: f.timestamp('Published', never),
    publishedBy: f.person('Published by', never),
    tenantId: optional(f.guid('Tenant ID', never)),
  },
});

/** How often articles were of use, each person counted once a day. */
export const knowledgeArticleUses = defineResource({
  name: 'knowledgeArticleUses',
  label: 'Article Use',
  plural: 'Article Uses',
  key: 'knowledgeArticleId',
  title: 'knowledgeArticleId',
  area: 'Articles',
  viewedWith: [permission('WorkUnits', 'view')],
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'knowledgeArticleId asc',
  fields: {
    knowledgeArticleId: f.key('Article ID'),
    viewed: f.int('Viewed', never),
    linked: f.int('Used in work units', never),
    solved: f.int('Solved requests', never),
    tenantId: optional(f.guid('Tenant ID', never)),
  },
});
