import { queryOptions } from '@tanstack/react-query';
import { statusPages } from '@cloudfit/contract/resources/status-pages.ts';
import { callJson } from '../../api/client.ts';

/**
 * A status page as visitors see it, and whether they can subscribe. `modified` is in the key, so that a save reads the page
 * again.
 */
export const previewQuery = ({ statusPageId, modified }: { statusPageId: string; modified: string }) =>
  queryOptions({
    queryKey: [statusPages.name, 'preview', statusPageId, modified],
    queryFn: ({ signal }) => callJson<{ html: string; takesSubscribers: boolean }>(`/v1/statusPages/preview/${statusPageId}`, { signal }),
  });
