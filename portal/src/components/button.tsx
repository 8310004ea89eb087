import type { ComponentPropsWithRef } from 'react';
import { Icon, type IconName } from './icon.tsx';
import './button.css';

type ButtonLook = 'plain' | 'primary' | 'danger' | 'quiet';

interface ButtonProps extends ComponentPropsWithRef<'button'> {
  look?: ButtonLook;
  small?: boolean;
  icon?: IconName;
  trailing?: IconName;
}

/** The standard button of the portal; `type` defaults to `button`. */
export function Button({ look = 'plain', small = false, icon, trailing, className = '', children, ...rest }: ButtonProps) {
  return (
    <button type="button" className={`btn ${look === 'plain' ? '' : look} ${small ? 'small' : ''} ${className}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
      {trailing && <Icon name={trailing} />}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  icon: IconName;
  /** Read aloud and shown on hover. */
  label: string;
}

export function IconButton({ icon, label, look = 'quiet', className = '', ...rest }: IconButtonProps) {
  return (
    <Button look={look} className={`square ${className}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </Button>
  );
}
