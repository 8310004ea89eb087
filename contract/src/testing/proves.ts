/**
 * Parts of a test that each prove one requirement, where splitting the test would repeat a long set-up. A failing part names
 * its requirement: `[WU-102] assigns the unit: expected null to be ...`. Returns the result of the check.
 */
export async function proves<T>(requirement: `[${string}] ${string}`, check: () => T): Promise<Awaited<T>> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof Error) error.message = `${requirement}: ${error.message}`;
    throw error;
  }
}
