import { tokenTexts as t } from '@cloudfit/contract/messages/tokens.en.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import { useMay } from '../../api/lookups.ts';
import { readTitles } from '../../entities/read-titles.ts';
import { useRow } from '../../rows/use-rows.ts';

/** The name of a token's owner, for people who may view people. Other people see only whether the token has an owner. */
export function TokenOwner({ ownerId }: { ownerId: string | null }) {
  const mayView = useMay()('People', 'view');
  const { data: owner } = useRow(people, ownerId ?? '', { enabled: ownerId !== null && mayView });
  if (ownerId === null) return <span className="faint">{t.noOwner}</span>;
  return owner?.name ?? <span className="faint">{t.hasOwner}</span>;
}

/** Returns the texts of owners for an export. */
export async function ownerTexts(tokens: readonly { ownerId: string | null }[]): Promise<(token: { ownerId: string | null }) => string> {
  const names = await readTitles(
    'people',
    tokens.flatMap(({ ownerId }) => ownerId ?? []),
  );
  return ({ ownerId }) => (ownerId === null ? t.noOwner : (names.get(ownerId) ?? t.hasOwner));
}
