/** What every built-in script needs: its parameters, and the report that it prints as a line of JSON. */

const values = JSON.parse(process.env['CLOUDFIT_PARAMETERS'] || '{}');

/** Returns a parameter as text; an empty text if it is not set. */
export function text(name) {
  return String(values[name] ?? '').trim();
}

export function required(name) {
  const value = text(name);
  if (value === '') throw new Error(`${name} is required.`);
  return value;
}

/** Returns a parameter as a number, or `fallback` if it is not set. Throws for a number outside the limits. */
export function number(name, { fallback, min, max }) {
  const value = text(name) === '' ? fallback : Number(text(name));
  if (!(value >= min && value <= max)) throw new Error(`${name} must be a number from ${min} to ${max}.`);
  return value;
}

export function report(reading) {
  process.stdout.write(`${JSON.stringify(reading)}\n`);
}

export const round = (value, digits = 1) => Number(value.toFixed(digits));

/**
 * Runs the operation that CLOUDFIT_OPERATION names, by default the first. Prints the message of an error and sets exit code 1.
 */
export async function run(operations) {
  const name = process.env['CLOUDFIT_OPERATION'] ?? Object.keys(operations)[0];
  try {
    const operation = operations[name];
    if (!operation) throw new Error(`There is no operation ${name}.`);
    await operation();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
