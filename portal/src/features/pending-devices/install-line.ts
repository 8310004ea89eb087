/** The line that installs the agent; the parameters are those of the install scripts that the server offers. */
export type InstallSystem = 'linux' | 'win';

export function installLine(system: InstallSystem, origin: string, token: string): string {
  return system === 'linux'
    ? `curl -fsSL ${origin}/agent/install.sh | sudo sh -s -- --url ${origin} --token ${token}`
    : `& ([scriptblock]::Create((irm ${origin}/agent/install.ps1))) -Url ${origin} -Token ${token}`;
}

/** Whether only the server's own machine reaches this address. */
export const isOwnMachineOnly = (origin: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(new URL(origin).hostname);
