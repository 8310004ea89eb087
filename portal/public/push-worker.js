/** The service worker of the portal. Shows push messages, opens and acknowledges work units; handles no requests of pages. */
const title = 'CloudFit';
/** For messages of a server that sends no texts yet. */
const english = { acknowledge: 'Acknowledge', acknowledged: 'Acknowledged', since: 'Since' };

function contentOf(event) {
  try {
    return event.data?.json() ?? {};
  } catch {
    return {};
  }
}

function timeText(since) {
  const at = new Date(since);
  const day = at.toDateString() === new Date().toDateString() ? {} : { day: 'numeric', month: 'short' };
  return at.toLocaleString([], { ...day, hour: '2-digit', minute: '2-digit' });
}

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('push', (event) => {
  const content = contentOf(event);
  const texts = { ...english, ...content.texts };
  const since = content.since ? [`${texts.since} ${timeText(content.since)}`] : [];
  event.waitUntil(
    self.registration.showNotification(content.title ?? title, {
      body: [content.body, ...since].filter(Boolean).join('\n'),
      tag: content.tag,
      renotify: content.tag !== undefined,
      icon: '/favicon.svg',
      requireInteraction: Boolean(content.ackUrl),
      data: { url: content.url, ackUrl: content.ackUrl, tag: content.tag, title: content.title, acknowledged: texts.acknowledged },
      actions: content.ackUrl ? [{ action: 'acknowledge', title: texts.acknowledge }] : [],
    }),
  );
});

/** Pages that nobody works in: a dashboard on a wall, and what the public reads. They stay as they are. */
const isShown = /\/kiosk\/|^\/(?:wall|status|idp)(?:\/|$)/;

/** Opens an address in a window of the portal that is already open, otherwise in a new window. */
async function open(address) {
  const url = new URL(address ?? '/', self.location.origin);
  // Addresses of another site are never opened.
  const target = url.origin === self.location.origin ? url.href : self.location.origin;
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const isPortal = ({ origin, pathname }) => origin === self.location.origin && !isShown.test(pathname);
  const portal = windows.find((one) => isPortal(new URL(one.url)) && 'navigate' in one);
  if (!portal) return self.clients.openWindow(target);
  await portal.focus();
  return portal.navigate(target);
}

async function acknowledge({ ackUrl, tag, title: about, url, acknowledged }) {
  const link = new URL(ackUrl, self.location.origin);
  if (link.origin !== self.location.origin) return open(url);
  try {
    const answer = await fetch(link.href, { method: 'POST' });
    if (!answer.ok) return open(link.href);
    return self.registration.showNotification(acknowledged, { body: about, tag, silent: true, icon: '/favicon.svg', data: { url } });
  } catch {
    // Without a connection, the opened link shows the browser's own message about it.
    return open(link.href);
  }
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const data = event.notification.data ?? {};
  event.waitUntil(event.action === 'acknowledge' && data.ackUrl ? acknowledge(data) : open(data.url));
});
