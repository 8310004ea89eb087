/** The queries of the panel of a unit: who was notified, and which steps of its protocol are to come. */
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { plannedSteps } from '@cloudfit/contract/resources/protocol-actions.ts';

export const maxNotifications = 100;
const maxSteps = 20;

export const notificationsQuery = (id: number) => ({
  filter: eq(notifications, 'workUnitId', id),
  orderBy: 'created desc' as const,
  top: maxNotifications,
});

export const stepsToComeQuery = (id: number) => ({
  filter: and(eq(plannedSteps, 'workUnitId', id), eq(plannedSteps, 'ended', null)),
  orderBy: 'due asc' as const,
  top: maxSteps,
});
