/** The archive of a customer as a file. */
import type { Action } from '@cloudfit/contract/action.ts';
import { offboardingArchive } from '@cloudfit/contract/customers/calls.ts';
import { archiveFor } from '../features/tenancy/offboarding/archive-file.ts';
import { inputOf } from './action-routes.ts';
import { attachment, type FileOptions } from './package-files.ts';
import type { RawCall, RawRoute } from './request-steps.ts';

const archive =
  (options: FileOptions): RawCall =>
  async (ctx, request, reply) => {
    const file = await archiveFor(ctx, options.store, inputOf(offboardingArchive, request).id);
    void reply
      .header('content-disposition', attachment(file.name))
      .header('content-length', file.bytes)
      .header('cache-control', 'no-store')
      .header('x-content-sha256', file.sha256)
      .header('x-content-type-options', 'nosniff')
      .type('application/zip');
    return reply.send(request.method === 'HEAD' ? undefined : await file.content());
  };

export function offboardingRoutes(options: FileOptions): readonly RawRoute[] {
  return [{ action: offboardingArchive as Action, call: archive(options), answersFile: true }];
}
