import { previewStatusPage } from '@cloudfit/contract/calls.ts';
import { queryOptions } from '@tanstack/react-query';
import { statusPages } from '@cloudfit/contract/resources/status-pages.ts';
import { callQuery } from '../../api/call.ts';

/**
 * A status page as visitors see it, and whether they can subscribe. `modified` is in the key, so that a save reads the page
 * again.
 */
export const previewQuery = ({ statusPageId: id, modified }: { statusPageId: string; modified: string }) =>
  queryOptions(callQuery(previewStatusPage, { id }, { refreshedBy: [statusPages.name, modified], quiet: false }));
