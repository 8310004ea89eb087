/** Texts of what people do with policies on devices: mend, except, and put in order. */

const devicesOf = (count: string): string => (count === '1' ? '1 device' : `${count} devices`);

export const policyCareTexts = {
  mend: {
    all: 'Mend now',
    allHelp: 'Compares every device of the policy now, and sets again what differs.',
    one: (device: string) => `Mend ${device} now`,
    done: (count: string) =>
      `${devicesOf(count)} ${count === '1' ? 'is' : 'are'} being compared. What differs is set again within seconds.`,
  },
  exceptions: {
    title: 'Exceptions',
    none: 'Every device of the policy has all of it.',
    add: 'Add an exception',
    of: (policy: string) => `Exception from ${policy}`,
    text: 'The device does not have it until then: other policies decide, or it gets back what it had.',
    device: 'Device',
    what: 'What it does not have',
    whole: 'The whole policy',
    until: 'Until',
    untilHelp: 'Empty: until somebody removes the exception.',
    reason: 'Why',
    make: 'Except',
    done: 'Excepted. The device changes within seconds.',
    remove: (device: string) => `End the exception of ${device}`,
    removed: 'Ended. The device has it again within seconds.',
    by: (person: string) => `by ${person}`,
    untilTime: (time: string) => `until ${time}`,
    endless: 'without an end',
    over: (time: string) => `ended ${time}`,
    notSet: 'the policy does not set it any more',
  },
  left: {
    title: 'Left, and keeps what it had',
    line: (time: string, things: string) => `left ${time}, keeps ${things}`,
  },
  order: {
    open: 'Precedence',
    title: 'Precedence of policies',
    text: 'Where two policies set the same otherwise on a device, the upper one wins. Move one by its buttons, by dragging it, or by Alt and an arrow key.',
    up: (name: string) => `Move ${name} up`,
    down: (name: string) => `Move ${name} down`,
    ofAll: 'of all tenants',
    disabled: 'disabled',
    changes: 'What saving changes',
    same: 'The order is as saved.',
    nothing: 'No device has anything otherwise then.',
    calculating: 'Calculating …',
    change: (what: string, name: string, before: string) => `${what}: by ${name} instead of ${before}`,
    on: (count: string, names: string) => `on ${devicesOf(count)}: ${names}`,
    more: ' …',
    ranks: (count: string) => `Changed precedences: ${count}`,
    save: 'Save the order',
    saved: 'Order saved. Devices change within seconds.',
  },
};
