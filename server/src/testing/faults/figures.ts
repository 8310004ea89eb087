/** The figures of the fault tests, which `npm run faults` prints. */
import { appendFileSync } from 'node:fs';

/** Notes what a fault cost, when somebody asks for it. */
export function noteFault(fault: string, figures: Record<string, number | string>): void {
  const file = process.env['FAULT_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ fault, figures })}\n`);
}
