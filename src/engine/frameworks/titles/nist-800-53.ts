/** Our own words, short; the publication's titles can be imported. See test/compliance. */
export const nist80053Titles = `
AC-1 Write down how access is controlled
AC-2 Manage accounts from creation to removal
AC-2(1) Automate account management
AC-2(2) Remove temporary accounts automatically
AC-2(3) Disable accounts no longer used
AC-2(4) Log account changes automatically
AC-2(5) Log off when leaving
AC-2(13) Disable accounts of risky people
AC-3 Enforce who may access what
AC-4 Control where information flows
AC-5 Separate duties
AC-6 Give the least privilege
AC-6(1) Authorize access to security functions
AC-6(2) Use ordinary accounts for ordinary work
AC-6(5) Limit privileged accounts
AC-6(7) Review privileges
AC-6(9) Log privileged functions
AC-6(10) Keep ordinary users from privileged functions
AC-7 Lock after failed logins
AC-8 Show a notice before login
AC-11 Lock idle devices
AC-11(1) Hide the screen while locked
AC-12 End idle sessions
AC-14 Name actions allowed without login
AC-17 Control remote access
AC-17(1) Monitor remote access
AC-17(2) Encrypt remote access
AC-17(3) Route remote access through managed points
AC-17(4) Limit privileged commands over remote access
AC-18 Control wireless access
AC-18(1) Authenticate and encrypt wireless
AC-18(3) Disable unneeded wireless
AC-19 Control mobile devices
AC-19(5) Encrypt mobile devices
AC-20 Control use of outside systems
AC-20(1) Limit authorized use of outside systems
AC-20(2) Restrict portable storage outside
AC-21 Decide what may be shared
AC-22 Review what is published
AT-1 Write down how people are trained
AT-2 Train everyone in security and privacy
AT-2(2) Teach about insiders
AT-2(3) Teach about social engineering
AT-3 Train by role
AT-4 Keep training records
AU-1 Write down how events are audited
AU-2 Decide which events are logged
AU-3 Record what happened, when, where, by whom
AU-3(1) Record more where needed
AU-4 Have room for logs
AU-5 React when logging fails
AU-6 Review logs and report
AU-6(1) Automate log review
AU-6(3) Correlate logs
AU-7 Make logs searchable
AU-7(1) Process logs automatically
AU-8 Stamp events with time
AU-9 Protect logs
AU-9(4) Let few manage logging
AU-11 Retain logs
AU-12 Generate logs on components
CA-1 Write down how controls are assessed
CA-2 Assess controls
CA-2(1) Have independent assessors
CA-3 Agree on exchanges between systems
CA-5 Track weaknesses to their fix
CA-6 Authorize systems to operate
CA-7 Monitor continuously
CA-7(1) Assess independently while monitoring
CA-7(4) Monitor risk
CA-9 Authorize internal connections
CM-1 Write down how configurations are managed
CM-2 Keep a baseline configuration
CM-2(2) Automate the baseline
CM-2(3) Retain former baselines
CM-2(7) Configure systems for risky areas
CM-3 Control changes
CM-3(2) Test changes first
CM-3(4) Have security people review changes
CM-4 Analyze the impact of changes
CM-4(2) Verify controls after changes
CM-5 Restrict who may change systems
CM-6 Set secure configuration settings
CM-7 Provide only needed functions
CM-7(1) Review functions periodically
CM-7(2) Prevent programs from running
CM-7(5) Allow listed software only
CM-8 Inventory components
CM-8(1) Update the inventory on changes
CM-8(3) Detect unauthorized components
CM-9 Plan configuration management
CM-10 Respect software licenses
CM-11 Control software that users install
CM-12 Know where information is
CM-12(1) Find information by tools
CP-1 Write down how contingencies are handled
CP-2 Plan for contingencies
CP-2(1) Align with related plans
CP-2(3) Resume missions in time
CP-2(8) Identify critical assets
CP-3 Train for contingencies
CP-4 Test the contingency plan
CP-4(1) Test with related plans
CP-6 Have an alternate storage site
CP-6(1) Keep the storage site apart
CP-6(3) Keep the storage site reachable
CP-7 Have an alternate processing site
CP-7(1) Keep the processing site apart
CP-7(2) Keep the processing site reachable
CP-7(3) Have priority at the processing site
CP-8 Have alternate telecommunications
CP-8(1) Have priority of telecommunications
CP-8(2) Avoid single points of failure in telecommunications
CP-9 Back up
CP-9(1) Test backups
CP-9(8) Encrypt backups
CP-10 Recover to a known state
CP-10(2) Recover transactions
IA-1 Write down how users are identified
IA-2 Identify and authenticate users
IA-2(1) MFA for privileged accounts
IA-2(2) MFA for other accounts
IA-2(8) Resist replay of logins
IA-2(12) Accept government identity cards
IA-3 Identify and authenticate devices
IA-4 Manage identifiers
IA-4(4) Mark the status of users
IA-5 Manage authenticators
IA-5(1) Require good passwords
IA-5(2) Authenticate by public keys safely
IA-5(6) Protect authenticators by value
IA-6 Hide passwords while typed
IA-7 Authenticate to cryptographic modules
IA-8 Identify and authenticate outside users
IA-8(1) Accept identity cards of other agencies
IA-8(2) Accept outside authenticators
IA-8(4) Use standard identity profiles
IA-11 Reauthenticate when needed
IA-12 Prove identity before giving accounts
IA-12(2) Require evidence of identity
IA-12(3) Verify identity evidence
IA-12(5) Confirm the address of people
IR-1 Write down how incidents are handled
IR-2 Train for incidents
IR-3 Test incident response
IR-3(2) Test with related plans
IR-4 Handle incidents
IR-4(1) Automate incident handling
IR-5 Track incidents
IR-6 Report incidents
IR-6(1) Automate incident reports
IR-6(3) Tell the supply chain of incidents
IR-7 Offer help with incidents
IR-7(1) Automate incident help
IR-8 Have an incident response plan
MA-1 Write down how systems are maintained
MA-2 Control maintenance
MA-3 Approve maintenance tools
MA-3(1) Inspect tools brought in
MA-3(2) Check media for malware
MA-3(3) Keep data on equipment from leaving
MA-4 Control remote maintenance
MA-5 Authorize maintenance people
MA-6 Get spare parts in time
MP-1 Write down how media are protected
MP-2 Restrict access to media
MP-3 Mark media
MP-4 Store media securely
MP-5 Transport media securely
MP-6 Wipe media
MP-7 Restrict media use
PE-1 Write down how sites are protected
PE-2 Authorize physical access
PE-3 Enforce physical access
PE-4 Protect transmission lines
PE-5 Protect output devices
PE-6 Monitor physical access
PE-6(1) Have intrusion alarms and cameras
PE-8 Keep visitor records
PE-9 Protect power equipment
PE-10 Have an emergency shutoff
PE-11 Have emergency power
PE-12 Have emergency lighting
PE-13 Protect from fire
PE-13(1) Detect fire automatically
PE-14 Control temperature and humidity
PE-15 Protect from water
PE-16 Control deliveries and removals
PE-17 Protect alternate work sites
PL-1 Write down how security is planned
PL-2 Have security and privacy plans
PL-4 Set rules of behavior
PL-4(1) Restrict use of social media
PL-8 Describe the security architecture
PL-10 Select a control baseline
PL-11 Tailor the baseline
PS-1 Write down how staff are vetted
PS-2 Rate positions by risk
PS-3 Screen staff
PS-4 Handle terminations
PS-5 Handle transfers
PS-6 Have access agreements signed
PS-7 Set rules for external staff
PS-8 Sanction violations
PS-9 Put security into job descriptions
RA-1 Write down how risk is assessed
RA-2 Categorize systems
RA-3 Assess risk
RA-3(1) Assess supply chain risk
RA-5 Scan for vulnerabilities
RA-5(2) Update what is scanned for
RA-5(5) Scan with privileges
RA-5(11) Let outsiders report vulnerabilities
RA-7 Respond to risk
RA-9 Identify critical components
SA-1 Write down how systems are acquired
SA-2 Budget for security
SA-3 Manage the development life cycle
SA-4 Put requirements into acquisitions
SA-4(1) Have suppliers describe controls
SA-4(2) Have suppliers describe their design
SA-4(9) Have suppliers name ports and services
SA-4(10) Buy approved identity products
SA-5 Document systems
SA-8 Apply engineering principles
SA-9 Control external services
SA-9(2) Have providers name ports and services
SA-10 Have developers manage configurations
SA-11 Have developers test security
SA-15 Require a development process
SA-15(3) Have developers analyze criticality
SA-22 Replace unsupported components
SC-1 Write down how communications are protected
SC-2 Separate user and management functions
SC-4 Prevent leaks through shared resources
SC-5 Limit denial of service
SC-7 Protect boundaries
SC-7(3) Limit access points
SC-7(4) Manage external telecommunications
SC-7(5) Deny traffic by default
SC-7(7) Prevent split tunneling
SC-7(8) Route traffic through proxies
SC-8 Protect data in transit
SC-8(1) Encrypt data in transit
SC-10 Disconnect ended sessions
SC-12 Manage cryptographic keys
SC-13 Use suitable cryptography
SC-15 Control cameras and microphones
SC-17 Issue certificates by policy
SC-18 Control mobile code
SC-20 Serve signed names
SC-21 Validate resolved names
SC-22 Make name service resilient
SC-23 Protect session authenticity
SC-28 Protect data at rest
SC-28(1) Encrypt data at rest
SC-39 Isolate processes
SI-1 Write down how integrity is protected
SI-2 Fix flaws
SI-2(2) Track the state of fixes
SI-3 Protect from malicious code
SI-4 Monitor systems
SI-4(2) Analyze in real time by tools
SI-4(4) Monitor traffic in and out
SI-4(5) Alert on signs of compromise
SI-5 Follow security alerts
SI-7 Detect unauthorized changes
SI-7(1) Check integrity
SI-7(7) Respond to integrity violations
SI-8 Protect from spam
SI-8(2) Update spam protection
SI-10 Validate input
SI-11 Reveal little in error messages
SI-12 Retain information as required
SI-16 Protect memory
SR-1 Write down how supply chain risk is managed
SR-2 Plan for supply chain risk
SR-2(1) Have a team for supply chain risk
SR-3 Control the supply chain
SR-5 Buy with supply chain risk in mind
SR-6 Assess suppliers
SR-8 Agree on notices with suppliers
SR-10 Inspect components for tampering
SR-11 Detect counterfeit components
SR-11(1) Train to detect counterfeits
SR-11(2) Control configuration during repair
SR-12 Dispose of components safely
`;
