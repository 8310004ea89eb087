/** The entity and the moment at which the rule in the form is tried, in the address. */
import { useSearchParams } from 'react-router';
import { useAddress } from '../../../hooks/use-address.ts';
import { panelPrefix } from '../../../hooks/use-panel.ts';

export const caseParam = `${panelPrefix}case`;

/** Returns a function that makes an entity at this moment the test case. */
export function useShowCase(): (entityId: string) => void {
  const setAddress = useAddress();
  return (entityId) =>
    setAddress(
      (next) => {
        next.set(caseParam, `${entityId}@${new Date().toISOString()}`);
        return undefined;
      },
      { replace: true, now: true },
    );
}

/** Returns the test case in the address; undefined if there is none. */
export function useTestCase() {
  const [params] = useSearchParams();
  const [entityId, at] = (params.get(caseParam) ?? '').split('@');
  return entityId && at && !Number.isNaN(Date.parse(at)) ? { entityId, at: new Date(at).toISOString() } : undefined;
}
