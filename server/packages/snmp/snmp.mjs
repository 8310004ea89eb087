import { namesOf } from './names.mjs';
import { number, reportUp, required, run, text } from './operation.mjs';
import { readObjects, walkBelow, withDevice } from './session.mjs';
import { valueOf } from './values.mjs';

const state = 'Answers';
/** The maximum number of metrics of a report: a packet has at most 500 keys. */
const metricsMax = 400;
const textMax = 1_000;

/** Splits `Name=object` pairs; without a name, the object is the name. */
function namedObjects(parameter, list) {
  const pairs = list
    .split(',')
    .map((line) => line.trim())
    .filter((item) => item !== '')
    .map((text) => (text.includes('=') ? text.split('=').map((part) => part.trim()) : [text, text]));
  const clash = pairs.find(([name]) => ['Up', state, 'Cut'].includes(name));
  if (clash) throw new Error(`${parameter}: ${clash[0]} is a name of the report itself; please choose another one.`);
  return pairs;
}

function addValue({ metrics, states }, name, value) {
  if (typeof value === 'string') states[name] = value.slice(0, textMax);
  else if (Number.isFinite(value)) metrics[name] = value;
  else return false;
  return true;
}

async function get() {
  const oidOf = await namesOf(text('MIB'));
  const objects = namedObjects('Objects', required('Objects')).map(([name, object]) => ({ name, oid: oidOf('Objects', object) }));
  if (objects.length > 50) throw new Error('Objects: at most 50 can be read at once.');
  await withDevice(state, async (device) => {
    const bindings = await readObjects(
      device,
      objects.map(({ oid }) => oid),
    );
    const reading = { metrics: {}, states: {} };
    const values = bindings.map((binding) => (binding === undefined ? undefined : valueOf(binding)));
    const missing = objects
      .filter(({ name }, at) => values[at] === undefined || !addValue(reading, name, values[at]))
      .map(({ name }) => name);
    reportUp(state, {
      value: Number.isNaN(values[0]) ? null : (values[0] ?? null),
      ...reading,
      ...(missing.length > 0 ? { message: `The device does not have ${missing.join(', ')}.` } : {}),
    });
  });
}

const cutOf = (cut) => (cut === undefined ? {} : { message: cut });

async function walk() {
  const below = (await namesOf(text('MIB')))('Below', required('Below'));
  const max = number('At most', { fallback: 200, min: 1, max: metricsMax });
  await withDevice(state, async (device) => {
    const { bindings, cut } = await walkBelow(device, below, max);
    const metrics = {};
    // Pairs instead of objects with names, because each name counts among the keys of a packet.
    const objects = bindings.map((binding) => {
      const value = valueOf(binding);
      if (Number.isFinite(value)) metrics[binding.oid.slice(below.length + 1)] = value;
      return [binding.oid, Number.isNaN(value) ? null : value];
    });
    reportUp(state, {
      value: objects.length,
      metrics,
      states: cut === undefined ? {} : { Cut: cut },
      diagnostics: { objects },
      ...cutOf(cut),
    });
  });
}

const interfaceColumns =
  'OperStatus=ifOperStatus,InOctets=ifHCInOctets|ifInOctets,OutOctets=ifHCOutOctets|ifOutOctets,InErrors=ifInErrors,OutErrors=ifOutErrors,InDiscards=ifInDiscards,OutDiscards=ifOutDiscards';
/** The maximum number of rows of which a column is read. */
const rowsMax = 2_000;

/** Reads a table by its columns. Of objects that are separated by `|`, the first that the device has is read. */
async function table() {
  const oidOf = await namesOf(text('MIB'));
  const alternatives = (parameter, list) => list.split('|').map((line) => oidOf(parameter, line.trim()));
  const columns = namedObjects('Columns', text('Columns') || interfaceColumns).map(([name, list]) => ({
    name,
    oids: alternatives('Columns', list),
  }));
  const nameOids = alternatives('Row names', text('Row names') || 'ifName|ifDescr');
  const max = number('At most', { fallback: metricsMax, min: 1, max: metricsMax });
  await withDevice(state, async (device) => {
    const cuts = new Set();
    async function columnOf(oids) {
      for (const oid of oids) {
        const { bindings, cut } = await walkBelow(device, oid, rowsMax);
        if (cut !== undefined) cuts.add(cut);
        if (bindings.length > 0) return new Map(bindings.map((binding) => [binding.oid.slice(oid.length + 1), valueOf(binding)]));
      }
      return new Map();
    }
    const names = await columnOf(nameOids);
    const isShared = (name) => [...names.values()].filter((item) => String(item).trim() === name).length > 1;
    const rowName = (index) => {
      const name = String(names.get(index) ?? '').trim();
      if (name === '') return index;
      return isShared(name) ? `${name} ${index}` : name;
    };
    const reading = { metrics: {}, states: {} };
    const [missing, rows] = [[], new Set()];
    let cells = 0;
    for (const { name, oids } of columns) {
      const cellsOf = await columnOf(oids);
      if (cellsOf.size === 0) missing.push(name);
      for (const [index, value] of cellsOf) {
        if (cells === max) {
          cuts.add(`Cut at ${max} values: there are more.`);
          break;
        }
        if (!addValue(reading, `${name} ${rowName(index)}`, value)) continue;
        rows.add(index);
        cells++;
      }
    }
    const absent = missing.length > 0 ? [`The device does not have ${missing.join(', ')}.`] : [];
    const message = [...cuts, ...absent].join(' ');
    reportUp(state, {
      value: rows.size,
      ...reading,
      states: { ...reading.states, ...(cuts.size > 0 ? { Cut: [...cuts].join(' ') } : {}) },
      ...(message === '' ? {} : { message }),
    });
  });
}

await run({ 'SNMP get': get, 'SNMP walk': walk, 'SNMP table': table }, state);
