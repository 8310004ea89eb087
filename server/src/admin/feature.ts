/** `feature list` and `feature set`. */
import { UsageError, type AdminCommand } from './command.ts';
import { recordChange } from './record.ts';

interface Feature {
  feature_id: string;
  name: string;
  description: string;
  enabled: boolean;
}

export const featureList: AdminCommand = {
  name: 'feature list',
  about: 'Lists the features and whether they are on.',
  options: {},
  run: async ({ db }) => {
    const features = await db.query<Feature>({ text: 'select feature_id, name, description, enabled from feature order by name' });
    return {
      lines: features.map(({ name, description, enabled }) => `${name}: ${enabled ? 'on' : 'off'}. ${description}.`),
      json: { features: features.map(({ name, description, enabled }) => ({ name, description, enabled })) },
    };
  },
};

export const featureSet: AdminCommand = {
  name: 'feature set',
  about: 'Switches a feature on or off. Servers that run follow at once.',
  operand: { name: 'NAME', about: 'Name of the feature, as feature list shows it.' },
  options: {
    on: { type: 'boolean', about: 'Switch it on.' },
    off: { type: 'boolean', about: 'Switch it off.' },
  },
  run: ({ db, operand, isSet }) => {
    if (isSet('on') === isSet('off')) throw new UsageError('Give either --on or --off.');
    const enabled = isSet('on');
    return db.transaction(async (tx) => {
      const [before] = await tx.query<Feature>({
        text: 'select feature_id, name, description, enabled from feature where lower(name) = lower($1) for update',
        values: [operand],
      });
      if (!before) throw new UsageError(`There is no feature ${operand}; npm run admin -- feature list shows all.`);
      if (before.enabled !== enabled) {
        await tx.query({
          text: 'update feature set enabled = $2, modified = now(), version = version + 1 where feature_id = $1',
          values: [before.feature_id, enabled],
        });
        await recordChange(tx, {
          verb: 'update',
          entity: 'features',
          entityId: before.feature_id,
          before: { name: before.name, enabled: before.enabled },
          after: { name: before.name, enabled },
        });
      }
      return { lines: [`${before.name} is ${enabled ? 'on' : 'off'}.`], json: { name: before.name, enabled } };
    });
  },
};
