/** The subscription of this browser to push messages. */

export const workerPath = '/push-worker.js';

export const canPush = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** The push endpoint of this browser; undefined when the browser is not subscribed. */
export async function pushEndpoint(): Promise<string | undefined> {
  if (!canPush()) return undefined;
  const registration = await navigator.serviceWorker.getRegistration(workerPath);
  return (await registration?.pushManager.getSubscription())?.endpoint;
}

/** Ends the push subscription in this browser. The server ends its record of the subscription in the call `/v1/signOut`. */
export async function unsubscribeHere(): Promise<void> {
  if (!canPush()) return;
  const registration = await navigator.serviceWorker.getRegistration(workerPath);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}
