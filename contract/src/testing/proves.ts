/**
 * Parts of a test that each prove one requirement, where splitting the test would repeat a long set-up.
 * A failing part names its requirement: `[WU-102] assigns the unit: expected null to be ...`.
 */
export async function proves(requirement: `[${string}] ${string}`, check: () => unknown): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof Error) error.message = `${requirement}: ${error.message}`;
    throw error;
  }
}
