/** Every declared call of the server, raw calls included, for tests that look at all of them. */
import type { Action } from '@cloudfit/contract/action.ts';
import { actions, type ActionParts } from '../actions.ts';
import { descriptionActions } from '../http/metadata/calls.ts';
import { rawCalls } from '../http/raw-calls.ts';

/** What actions tell about the installation, in tests. */
const testSettings = {
  oidc: { authority: 'http://localhost/idp', clientId: 'cloudfit-portal', lifetime: 600, scope: 'openid', extraQueryParams: {} },
  version: '0.0.0',
  environment: { name: 'Test', color: 'green' },
};

export function allActions(): Action[] {
  const unused = (): never => {
    throw new Error('This call is declared only.');
  };
  const raw = rawCalls({ ingest: unused, stream: unused, watch: { next: unused, close: unused } as never });
  const secrets = {} as ActionParts['secrets'];
  return [...[...actions({ ...testSettings, secrets, publicUrl: 'http://localhost' }), ...raw.actions].map(({ action }) => action), ...descriptionActions];
}
