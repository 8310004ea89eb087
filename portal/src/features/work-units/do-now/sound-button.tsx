import { doNowTexts as t } from '@cloudfit/contract/messages/do-now.en.ts';
import { severities } from '@cloudfit/contract/enums.ts';
import { useCurrentUser } from '../../../api/lookups.ts';
import { MenuButton } from '../../../components/overlay/menu-button.tsx';
import { toast } from '../../../components/toasts.tsx';
import { playSound, setSound, soundFor } from './sound.ts';

/** Whether the person wants a sound for new entries in this browser. */
export function useSoundIsOn(): boolean {
  const personId = useCurrentUser().data?.personId;
  const people = soundFor.use();
  return Boolean(personId && people.includes(personId));
}

async function test(severity: (typeof severities)[number]): Promise<void> {
  if (!(await playSound(severity))) toast.warning(t.sound.refused);
}

/** Turns the sounds of new entries on and off, and plays them for a test. */
export function SoundButton() {
  const personId = useCurrentUser().data?.personId;
  const isOn = useSoundIsOn();
  if (!personId) return null;
  const turn = () => {
    setSound(personId, !isOn);
    // At once, because browsers permit sounds only after a click or a key.
    if (!isOn) void test('Sev2');
  };
  return (
    <MenuButton
      small
      look="quiet"
      icon="bell"
      label={isOn ? t.sound.isOn : t.sound.isOff}
      entries={[
        { id: 'turn', label: isOn ? t.sound.off : t.sound.on, icon: 'bell', run: turn },
        ...severities.map((severity, index) => ({
          id: severity,
          label: t.sound.test(severity),
          divided: index === 0,
          run: () => void test(severity),
        })),
      ]}
    />
  );
}
