/** `licence install` and `licence show`. */
import { readFile } from 'node:fs/promises';
import { productLicenceKey } from '../features/lookups/licence-file.ts';
import { keepLicence, licenceState } from '../features/lookups/license.ts';
import { UsageError, type AdminCommand } from './command.ts';
import { recordChange } from './record.ts';

export const licenceInstall: AdminCommand = {
  name: 'licence install',
  about: 'Installs a licence file; it takes the place of the trial or of an earlier licence. Running servers apply it at once.',
  operand: { name: 'FILE', about: 'The licence as its maker sent it.' },
  options: {},
  run: async ({ db, config, operand }) => {
    const text = await readFile(operand, 'utf8').catch((error: Error) => {
      throw new UsageError(`The file ${operand} cannot be read: ${error.message}.`);
    });
    const licence = await db.transaction(async (tx) => {
      const stored = await keepLicence(tx, text, config.licencePublicKey);
      if (!stored) throw new UsageError(`${operand} is not a licence of this product: it is damaged, or somebody else signed it.`);
      await recordChange(tx, { verb: 'update', entity: 'licence', entityId: stored.issued, after: stored });
      return stored;
    });
    const hasEnded = Date.parse(licence.expires) <= Date.now();
    return {
      lines: [`Licence for ${licence.customer}, good until ${licence.expires.slice(0, 10)}${hasEnded ? ': it has ended already' : ''}.`],
      json: { ...licence },
    };
  },
};

export const licenceShow: AdminCommand = {
  name: 'licence show',
  about: 'Says whose licence is installed and when it ends.',
  options: {},
  run: async ({ db, config }) => {
    const { expires, licence } = await licenceState(db, config.licencePublicKey ?? productLicenceKey, new Date());
    return {
      lines: [`${licence ? `Licence for ${licence.customer}` : 'Trial'}, good until ${expires.slice(0, 10)}.`],
      json: { customer: licence?.customer ?? null, expires, trial: licence === undefined },
    };
  },
};
