import { useQuery } from '@tanstack/react-query';
import { permissionSetTexts as t } from '@cloudfit/contract/messages/people.en.ts';
import { grants } from '@cloudfit/contract/resources/grants.ts';
import { callJson } from '../../api/client.ts';

interface Holders {
  people: number;
  names: string[];
  groups: number;
  tokens: number;
}

export const useHolders = (permissionSetId: string) =>
  useQuery({
    queryKey: [grants.name, 'holders', permissionSetId],
    queryFn: () => callJson<Holders>(`/v1/permissionSets/${permissionSetId}/holders`, { quiet: true }),
  });

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
