/**
 * Before each test file: passwords cost a thousandth of what they cost in production, where nothing can lower their cost. What
 * the server asks for and stores stays the same.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const whole = crypto.argon2;
const isCheap = Symbol.for('cheap passwords');

// Files of a worker share the process, in which this is done once.
if (!(isCheap in whole)) {
  const cheap: typeof crypto.argon2 = (algorithm, parameters, done) => whole(algorithm, { ...parameters, memory: 8, passes: 1 }, done);
  crypto.argon2 = Object.assign(cheap, { [isCheap]: true });
  syncBuiltinESMExports();
}
