/** Shows administrators a status page before the public sees it. */
import { previewStatusPage } from '@cloudfit/contract/actions/status-pages/status-pages.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { localeOf } from '../../context/locale.ts';
import { readerOf } from '../../platform/language.ts';
import { get } from '../../resources/get.ts';
import { readStatus } from './read-status.ts';
import { renderStatus } from './render.ts';
import { publicStatusTextsIn } from './texts.ts';
import { servedStatusPages } from './status-pages.served.ts';

/** Without a mail server nobody can subscribe, so the preview has no form for it. */
export const previewStatusPageAction = (mailServerIsSet: boolean): ImplementedAction =>
  implement(previewStatusPage, async (ctx, { id }) => {
    const page = await get(ctx, servedStatusPages, id);
    const { language } = readerOf(await localeOf(ctx.db, ctx.actor.kind === 'person' ? (ctx.actor.id ?? undefined) : undefined));
    const html = renderStatus(
      publicStatusTextsIn(language),
      await readStatus(ctx.db, page, ctx.now()),
      mailServerIsSet ? (page.address ?? '') : undefined,
    );
    return { html, takesSubscribers: mailServerIsSet };
  });
