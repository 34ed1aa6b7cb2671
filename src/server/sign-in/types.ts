import type { Scope } from '../../contract/endpoint.ts';

/** From where somebody signs in, and with which browser. */
export interface Visitor {
  readonly address: string | undefined;
  /** What an earlier sign-in gave this browser to keep (`device`): its tries queue apart from those of others. */
  readonly device?: string | undefined;
  readonly requestId: string;
}

/** A person, as their own pages show them. */
interface Person {
  readonly id: string;
  readonly email: string;
  readonly name?: string;
  readonly roles: readonly string[];
  /** Those they have now. */
  readonly scopes: readonly Scope[];
  readonly second_factor: boolean;
  /** How many are left. */
  readonly recovery_codes: number;
  readonly password: boolean;
  /** Their company account; `managed`: their roles follow rules. */
  readonly account?: { readonly name: string; readonly managed: boolean };
}

/**
 * What is missing before a session opens anything but the pages for it: the code of the second factor, or a second factor,
 * which owners and admins must have.
 */
export type Needs = 'second_factor' | 'enrolment';

export interface Session {
  /** Not the token: it may be shown and sent back, to end a session. */
  readonly id: string;
  readonly person: Person;
  /** Absent: the person is signed in. */
  readonly needs?: Needs;
  /** When the person last showed who they are: ISO 8601. */
  readonly authenticated_at: string;
  readonly expires_at: string;
}

/** The session of a browser begins, or goes on under another token; the one before it no longer works. */
export interface Entered {
  readonly kind: 'signed_in';
  readonly session: Session;
  /** For the cookie of the session. */
  readonly token: string;
  /** For a cookie that stays for a year. Absent: the browser has it. */
  readonly device?: string;
}

/** Refused; the message says why, and is the same for an unknown user, a wrong password and a disabled user. */
export interface Refused {
  readonly kind: 'refused';
  readonly message: string;
}

/** Nothing was tried. */
export interface Later {
  readonly kind: 'later';
  /** Seconds. */
  readonly retry_after: number;
}

/** The session ended, or there is none: sign in again. */
export interface NoSession {
  readonly kind: 'no_session';
}

/** A session in the list of a person's own. */
export interface SessionShown {
  readonly id: string;
  readonly created_at: string;
  readonly last_seen: string;
  readonly address?: string;
}

/** The company's provider cannot be asked now. */
interface Unreachable {
  readonly kind: 'unreachable';
  readonly message: string;
}

/** An account that the person of a session may link, once they say so. */
export interface Linkable {
  readonly kind: 'linkable';
  /** What the person knows it by. */
  readonly account: string;
  /** For `link`. */
  readonly proof: string;
}

/** What a sign-in with the company's account is for. */
export interface CompanyPurpose {
  /** Where the browser goes then. */
  readonly next: string;
  /** The token of an invitation that is accepted by it. */
  readonly invitation?: string;
  /** The token of the session whose person gets a link. */
  readonly linkFor?: string;
  /** Whether the person is to show once more who they are, though the provider may know. */
  readonly isAnew?: boolean;
}

/** Signing in with accounts of the company's OpenID provider. */
export interface CompanySignIn {
  /** What people know the provider by. */
  readonly name: string;
  /** Whether only owners sign in with a password. */
  readonly isOnly: boolean;
  /** @returns where the browser is sent, and what it keeps until it is back */
  begin(
    purpose: CompanyPurpose,
  ): Promise<
    { readonly kind: 'away'; readonly url: string; readonly pending: string } | Unreachable
  >;
  /**
   * The browser is back.
   * @param query as the provider has made it
   * @param pending what this browser has kept
   */
  finish(given: {
    readonly query: string;
    readonly pending: string | undefined;
    readonly token: string;
    readonly visitor: Visitor;
  }): Promise<
    (Entered | Linkable | Refused | Later | NoSession | Unreachable) & { readonly next?: string }
  >;
  /** Links the account that `finish` found. */
  link(given: {
    readonly token: string;
    readonly proof: string;
    readonly visitor: Visitor;
  }): Promise<{ readonly kind: 'linked' } | Refused | NoSession>;
  /** Refused where it is the only way in. */
  unlink(given: {
    readonly token: string;
    readonly visitor: Visitor;
  }): Promise<{ readonly kind: 'unlinked' } | Refused | NoSession>;
}

export interface SignIn {
  /** Absent: the server has none. */
  readonly company?: CompanySignIn;
  /** The password. The session that begins may need more before it opens anything (`session.needs`). */
  tryPassword(given: {
    readonly email: string;
    readonly password: string;
    readonly visitor: Visitor;
  }): Promise<Entered | Refused | Later>;
  /** A code of the app, or a recovery code, for a session that needs `second_factor`. */
  trySecondFactor(given: {
    readonly token: string;
    readonly code: string;
    readonly visitor: Visitor;
  }): Promise<Entered | Refused | Later | NoSession>;

  /** Whom an invitation link is for. Undefined: it expired, was used, or never was. */
  findInvitation(
    invitation: string,
  ): Promise<
    { readonly email: string; readonly name?: string; readonly expires_at: string } | undefined
  >;
  acceptInvitation(given: {
    readonly invitation: string;
    readonly password: string;
    readonly visitor: Visitor;
  }): Promise<Entered | Refused | Later>;
  /** Ends the person's other sessions. */
  changePassword(given: {
    readonly token: string;
    readonly password: string;
    readonly newPassword: string;
    readonly visitor: Visitor;
  }): Promise<Entered | Refused | Later | NoSession>;

  /**
   * Begins a second factor. Who has one gives a code of it: it works until the new one is confirmed.
   * @returns the secret in Base32, and the `otpauth:` URI for a QR code
   */
  enrol(given: {
    readonly token: string;
    readonly code?: string;
    readonly visitor: Visitor;
  }): Promise<
    | { readonly kind: 'enrolling'; readonly secret: string; readonly uri: string }
    | Refused
    | Later
    | NoSession
  >;
  /** @returns the recovery codes, which are shown this once, and the session that goes on */
  confirm(given: {
    readonly token: string;
    readonly code: string;
    readonly visitor: Visitor;
  }): Promise<
    (Entered & { readonly recovery_codes: readonly string[] }) | Refused | Later | NoSession
  >;
  /** Takes a code. Refused to owners and admins. */
  removeSecondFactor(given: {
    readonly token: string;
    readonly code: string;
    readonly visitor: Visitor;
  }): Promise<Entered | Refused | Later | NoSession>;
  /** Takes a code of the app. The codes before no longer work. */
  renewRecoveryCodes(given: {
    readonly token: string;
    readonly code: string;
    readonly visitor: Visitor;
  }): Promise<
    | { readonly kind: 'renewed'; readonly recovery_codes: readonly string[] }
    | Refused
    | Later
    | NoSession
  >;

  /** Counts as a use: a session ends 12 hours after the last, and 7 days after the sign-in. */
  currentSession(token: string | undefined): Promise<Session | undefined>;
  sessionsOf(userId: string): Promise<readonly SessionShown[]>;
  /** No matter if it has ended already. */
  endSession(token: string, visitor: Visitor): Promise<void>;
  /** One of the person's own, by its ID. @returns false: the person has no such session */
  endSessionOf(userId: string, id: string, visitor: Visitor): Promise<boolean>;

  /** Tells the audit log of failed sign-ins. Call it every minute. */
  saveFailures(): Promise<void>;
  /** Asks the provider about people who signed in with company accounts 12 hours ago. Call it every minute. */
  checkAccounts(): Promise<void>;
}
