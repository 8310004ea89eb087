/** The control set of a new installation: what a small team can check once a week. */
import type { ControlSetDocument } from './control-set.ts';

export const starterControlSet: ControlSetDocument = {
  name: 'Weekly operations checks',
  description: 'Ten checks of daily operation. Import your own control sets, or NIST OSCAL catalogs, beside it.',
  controls: [
    ['OPS-01', 'Devices report', 'Every device in service has reported within the week, or its silence is explained in a work unit.'],
    [
      'OPS-02',
      'Open incidents have an owner',
      'Each open incident of severity Sev0 or Sev1 is assigned, and its last update is not older than a day.',
    ],
    [
      'OPS-03',
      'Software is current',
      'Outdated package versions in the version report are planned for an update or accepted with a reason.',
    ],
    [
      'OPS-04',
      'Backups ran and one was read back',
      'Backups of the week succeeded, and at least one file or database was restored from them for a test.',
    ],
    ['OPS-05', 'Certificates are valid', 'No certificate in use ends within 30 days without a renewal that is planned.'],
    ['OPS-06', 'Access is reviewed', 'People who left have no access any more; new grants of the week were asked for and approved.'],
    ['OPS-07', 'Tokens and secrets are known', 'Each token is used by a known system; tokens of ended integrations are revoked.'],
    ['OPS-08', 'Changes were approved', 'Every change that was made has an approved change request with a rollback plan.'],
    ['OPS-09', 'Rules still fit', 'Rules that matched often without consequence, and disabled rules, were looked at.'],
    ['OPS-10', 'Maintenance windows are right', 'Maintenance rules cover the planned work of the next week, and no window is left over.'],
  ].map(([name = '', title = '', description = '']) => ({ name, title, description })),
};
