/** The queries of the panel of a unit: who was notified, and which step of its protocol is next. */
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { plannedSteps } from '@cloudfit/contract/resources/protocol-actions.ts';

export const maxNotifications = 100;

export const notificationsQuery = (id: number) => ({
  filter: eq(notifications, 'workUnitId', id),
  orderBy: 'created desc' as const,
  top: maxNotifications,
});

export const nextStepQuery = (id: number) => ({
  filter: and(eq(plannedSteps, 'workUnitId', id), eq(plannedSteps, 'ended', null)),
  orderBy: 'due asc' as const,
  top: 1,
});
