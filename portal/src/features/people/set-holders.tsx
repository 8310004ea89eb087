import { holdersOfSet } from '@cloudfit/contract/calls.ts';
import { permissionSetTexts as t } from '@cloudfit/contract/messages/people.en.ts';
import { grants } from '@cloudfit/contract/resources/grants.ts';
import { useCall } from '../../api/call.ts';

export const useHolders = (id: string) => useCall(holdersOfSet, { id }, { refreshedBy: grants.name });

/** How many people, groups and tokens have a permission set, and the first names of people. */
export function SetHolders({ permissionSetId }: { permissionSetId: string }) {
  const { data } = useHolders(permissionSetId);
  if (!data) return null;
  const { people, names, groups, tokens } = data;
  return (
    <section className="form-section" aria-label={t.impact}>
      <h3>{t.impact}</h3>
      <p>
        {t.holders(people, groups, tokens)}
        {names.length > 0 && <span className="muted"> · {[...names, ...(people > names.length ? [t.andMore] : [])].join(', ')}</span>}
      </p>
    </section>
  );
}
