/** Which manual steps of a protocol are offered to people. */

/**
 * SQL condition: the wait of the manual step (`a`), if it has one, is over for the unit. Both parameters are SQL: the unit's id, and when it
 * was created.
 */
export const waitIsOver = (unitId: string, created: string): string =>
  `(a.wait is null or coalesce((select p.ended is not null from planned_step p
    where p.work_unit_id = ${unitId} and p.protocol_action_id = a.protocol_action_id order by p.created desc limit 1),
    ${created} + make_interval(secs => a.wait) <= now()))`;
