/** Reads and changes notification preferences, of the signed-in person or of another person. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { preferenceTexts as t } from '@cloudfit/contract/messages/notification-preferences.en.ts';
import type { ShownPreferences } from '@cloudfit/contract/on-call/preferences.calls.ts';
import { callJson, RequestFailed } from '../../api/client.ts';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { useScope } from '../../rows/use-scope.ts';
import type { EditedPreferences, PreferenceFaults } from './preferences-form.tsx';

export type OwnPreferences = ShownPreferences & { pushKey: string };

const pathOf = (personId: string | undefined): string => (personId === undefined ? '/v1/currentUser' : `/v1/people/${personId}`);
const keyOf = (personId: string | undefined) => ['notificationPreferences', personId ?? 'own'];

/** Reads the preferences of a person; without `personId` those of the signed-in person, with the key for push subscriptions. */
export function usePreferences(personId: string | undefined) {
  const { tenantId } = useScope();
  return useQuery({
    queryKey: [...keyOf(personId), tenantId],
    queryFn: ({ signal }) =>
      callJson<OwnPreferences>(`${pathOf(personId)}/notificationPreferences${tenantId ? `?tenantId=${tenantId}` : ''}`, {
        signal,
        quiet: true,
      }),
  });
}

export function useChangePreferences(personId: string | undefined) {
  const client = useQueryClient();
  const reload = () => client.invalidateQueries({ queryKey: keyOf(personId) });
  return {
    reload,
    /** Saves the preferences. Returns the server's errors by field; none after a success. */
    save: async ({ phone, timeZone, steps, quietHours, urgent }: EditedPreferences, name: string): Promise<PreferenceFaults> => {
      const body = { timeZone, steps, quietHours, urgent, ...(personId === undefined ? { phone } : {}) };
      try {
        await callJson(`${pathOf(personId)}/notificationPreferences`, { method: 'PUT', body });
        toast.success(personId === undefined ? t.saved : t.savedOf(name));
        await reload();
      } catch (error) {
        toastFailure(error, t.saveFailed);
        if (error instanceof RequestFailed) return error.details;
      }
      return [];
    },
    endBrowser: async (pushSubscriptionId: string, browser: string): Promise<void> => {
      try {
        await callJson(`${pathOf(personId)}/pushSubscriptions/${pushSubscriptionId}`, { method: 'DELETE' });
        toast.success(t.ended(browser));
      } catch (error) {
        toastFailure(error, t.endFailed);
      }
      await reload();
    },
  };
}
