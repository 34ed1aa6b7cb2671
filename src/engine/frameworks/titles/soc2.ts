/** Our own words; see test/compliance. */
export const soc2Titles = `
CC1.1 Act with integrity and by stated values
CC1.2 Have a board that is independent and watches over controls
CC1.3 Define who reports to whom and who may decide
CC1.4 Hire, train and keep able people
CC1.5 Hold people to account for their part in controls
CC2.1 Use good information to run controls
CC2.2 Tell people inside what they need for controls
CC2.3 Tell people outside what concerns them
CC3.1 Set goals that are clear enough to judge risks
CC3.2 Find risks to the goals and weigh them
CC3.3 Think of fraud when weighing risks
CC3.4 Notice changes that affect controls much
CC4.1 Check regularly whether controls work
CC4.2 Report weak controls in time to those who can fix them
CC5.1 Choose controls that lower risks enough
CC5.2 Choose general controls over technology
CC5.3 Put controls into policies and procedures
CC6.1 Restrict logical access to systems and data
CC6.2 Register users before access, and remove those who leave
CC6.3 Grant and change access by role and least privilege
CC6.4 Restrict physical access to sites and media
CC6.5 Wipe data from assets before giving them up
CC6.6 Defend the network boundary against outsiders
CC6.7 Protect data in transit and on removable media
CC6.8 Prevent and detect malicious or unapproved software
CC7.1 Find new vulnerabilities and risky configuration changes
CC7.2 Watch systems for signs of trouble
CC7.3 Decide which security events are incidents
CC7.4 Respond to incidents by a plan
CC7.5 Recover from incidents
CC8.1 Approve, test and track changes
CC9.1 Reduce the risk of business disruption
CC9.2 Manage the risks of vendors and partners
A1.1 Watch capacity, and plan for demand
A1.2 Back up, protect from the environment, and be able to recover
A1.3 Test recovery
C1.1 Know which information is confidential, and protect it
C1.2 Destroy confidential information that nobody needs now
PI1.1 Know what correct processing means
PI1.2 Check what comes in
PI1.3 Process completely and correctly
PI1.4 Deliver output completely, correctly and in time
PI1.5 Store what is processed completely and correctly
P1.1 Tell people how their personal data is handled
P2.1 Offer choices and ask for consent
P3.1 Collect only personal data that the goals need
P3.2 Get explicit consent before collecting where it is needed
P4.1 Use personal data only as told
P4.2 Keep personal data only as long as told
P4.3 Destroy personal data safely
P5.1 Let people see their personal data
P5.2 Let people correct their personal data
P6.1 Disclose personal data to others only with consent
P6.2 Record permitted disclosures
P6.3 Record disclosures that were not permitted
P6.4 Get privacy commitments from vendors
P6.5 Have vendors report disclosures that were not permitted
P6.6 Notify those concerned of breaches
P6.7 Account for disclosures to anyone who asks
P7.1 Keep personal data correct and up to date
P8.1 Take privacy complaints, and check that commitments are met
`;
