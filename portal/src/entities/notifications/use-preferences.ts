/** Reads and changes notification preferences, of the signed-in person or of another person. */
import {
  changeNotificationPreferencesOfPerson,
  changeOwnNotificationPreferences,
  endOwnPushSubscription,
  endPushSubscriptionOfPerson,
  notificationPreferencesOfPerson,
  ownNotificationPreferences,
} from '@cloudfit/contract/calls.ts';
import { preferenceTexts as t } from '@cloudfit/contract/messages/notification-preferences.en.ts';
import { call, useCall } from '../../api/call.ts';
import { RequestFailed } from '../../api/client.ts';
import { command, refresh } from '../../calls/command.ts';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { useScope } from '../../rows/use-scope.ts';
import type { EditedPreferences, PreferenceFaults } from './preferences-form.tsx';

/** The preferences of the signed-in person, with the key for push subscriptions. */
export const useOwnPreferences = () => useCall(ownNotificationPreferences, { tenantId: useScope().tenantId ?? undefined });

export const usePreferencesOf = (id: string) =>
  useCall(notificationPreferencesOfPerson, { id, tenantId: useScope().tenantId ?? undefined });

/** The changes of the preferences of a person; without `id` of the signed-in person. */
export function preferenceChanges(id: string | undefined) {
  const refreshes = [id === undefined ? ownNotificationPreferences : notificationPreferencesOfPerson];
  return {
    reload: () => refresh(refreshes),
    /** Saves the preferences. Returns the server's errors by field; none after a success. */
    save: async ({ phone, timeZone, steps, quietHours, urgent, digest }: EditedPreferences, name: string): Promise<PreferenceFaults> => {
      const changed = { timeZone, steps: [...steps], quietHours: [...quietHours], urgent: [...urgent], digest };
      try {
        if (id === undefined) await call(changeOwnNotificationPreferences, { ...changed, phone });
        else await call(changeNotificationPreferencesOfPerson, { id, ...changed });
        toast.success(id === undefined ? t.saved : t.savedOf(name));
        await refresh(refreshes);
      } catch (error) {
        toastFailure(error, t.saveFailed);
        if (error instanceof RequestFailed) return error.details;
      }
      return [];
    },
    endBrowser: command(
      ({ subscriptionId }: { subscriptionId: string; browser: string }) =>
        id === undefined ? call(endOwnPushSubscription, { subscriptionId }) : call(endPushSubscriptionOfPerson, { id, subscriptionId }),
      { done: (_answer, { browser }) => t.ended(browser), failed: t.endFailed, refreshes },
    ),
  };
}
