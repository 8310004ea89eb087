/** Shows administrators a status page before the public sees it. */
import { previewStatusPage } from '@cloudfit/contract/actions/status-pages/status-pages.ts';
import { implement } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { readStatus } from './read-status.ts';
import { renderStatus } from './render.ts';
import { servedStatusPages } from './status-pages.served.ts';

export const previewStatusPageAction = implement(previewStatusPage, async (ctx, { id }) => {
  const page = await get(ctx, servedStatusPages, id);
  return { html: renderStatus(await readStatus(ctx.db, page, ctx.now())) };
});
