/**
 * Runs a part of a test that proves one requirement, if a separate test would repeat a long set-up. A failure names the
 * requirement: `[WU-102] assigns the unit: expected null to be ...`. Returns the result of the check.
 */
export async function proves<T>(requirement: `[${string}] ${string}`, check: () => T): Promise<Awaited<T>> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof Error) error.message = `${requirement}: ${error.message}`;
    throw error;
  }
}
