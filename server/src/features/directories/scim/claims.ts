/** The groups of provisioned people, as grants name them. */
import type { Db } from '../../../db/db.ts';

/** Sets the groups of these people to those in which the directory has put them. */
export async function refreshClaims(tx: Db, personIds: readonly string[]): Promise<void> {
  await tx.query({
    text: `update person p set claims = n.claims, modified = now() from (
        select u.person_id, coalesce(array_agg(d.prefix || ':' || g.display_name order by g.display_name) filter (where g.directory_group_id is not null), '{}') as claims
        from provisioned_person u join directory d using (directory_id) left join directory_member m using (person_id)
        left join directory_group g using (directory_group_id) where u.person_id = any($1::uuid[]) group by u.person_id) n
      where p.person_id = n.person_id and p.claims is distinct from n.claims`,
    values: [personIds],
  });
}
